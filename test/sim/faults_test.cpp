// How lists of faults are read, and how they are handed out.
#include "sim/faults.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/fault_body.hpp"
#include "sim/fault_plan.hpp"

namespace weir::sim {
namespace {

std::string refusal(std::string_view text) {
  const auto read = read_faults(text);
  return read ? "" : read.error().message;
}

TEST(faults, a_list_sets_each_fault_with_its_argument_or_its_default) {
  const auto read = read_faults(" status=429 ; retry-after = 1.5; body=quota;deaf;cut=3;error ");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->status, 429);
  EXPECT_EQ(read->retry_after, "1.5");
  EXPECT_EQ(read->body, "quota");
  EXPECT_TRUE(read->deaf);
  EXPECT_EQ(read->cut, 3);
  EXPECT_EQ(read->error, 0);
  EXPECT_FALSE(read->crlf);
  EXPECT_FALSE(read->stall);
}

TEST(faults, nothing_is_no_fault) {
  const auto read = read_faults(" ; ");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->status || read->cut || read->deaf);
}

TEST(faults, mistakes_are_told_with_what_was_expected) {
  EXPECT_NE(refusal("explode").find("overrun"), std::string::npos);
  EXPECT_NE(refusal("deaf=1").find("takes no argument"), std::string::npos);
  EXPECT_NE(refusal("delay").find("delay=ms"), std::string::npos);
  EXPECT_NE(refusal("cut=soon").find("whole number"), std::string::npos);
  EXPECT_NE(refusal("cut=-1").find("whole number"), std::string::npos);
  EXPECT_NE(refusal("status=99").find("200 to 599"), std::string::npos);
  EXPECT_NE(refusal("body=mud").find("ollama"), std::string::npos);
}

TEST(faults, every_fault_that_is_described_can_be_asked_for) {
  const auto known = nlohmann::json::parse(describe_faults());
  ASSERT_GE(known.size(), 20U);
  for (const auto& one : known) {
    std::string text = one["name"];
    const bool bare = one["argument"] == "" || one["default"] != "";
    if (text == "body") {
      text += "=old";
    } else if (!bare) {
      text += "=1";
    }
    EXPECT_EQ(refusal(text), "") << text;
  }
}

TEST(faults, every_shape_of_error_body_that_claims_to_be_json_is) {
  for (const auto* shape : {"vllm", "old", "openai", "ollama", "fastapi", "llamacpp", "array",
                            "null", "busy", "quota"}) {
    const auto body = fault_body(shape);
    ASSERT_TRUE(body) << shape;
    std::string text{body->text};
    if (const auto at = text.find("STATUS"); at != std::string::npos) text.replace(at, 6, "500");
    EXPECT_TRUE(nlohmann::json::accept(text)) << shape;
  }
  EXPECT_FALSE(fault_body("mud"));
}

TEST(faults, a_plan_with_a_count_is_used_up) {
  fault_plan plan;
  EXPECT_FALSE(plan.active());
  plan.set("deaf", *read_faults("deaf"), 2);
  EXPECT_TRUE(plan.take().deaf);
  EXPECT_EQ(plan.left(), 1);
  EXPECT_TRUE(plan.take().deaf);
  EXPECT_FALSE(plan.active());
  plan.set("deaf", *read_faults("deaf"), std::nullopt);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(plan.take().deaf);
  EXPECT_TRUE(plan.active());
  plan.clear();
  EXPECT_FALSE(plan.active());
}

}  // namespace
}  // namespace weir::sim
