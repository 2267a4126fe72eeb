// keys.yaml: made, listed, revoked, read by hand-written examples, and refused with a place where
// it is wrong.
#include "identity/key_file.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "support.hpp"

namespace weir::identity::testing {
namespace {

class key_files : public ::testing::Test {
 protected:
  created_key make(const new_key& wanted) {
    auto key = create_key(path_, wanted, now_);
    EXPECT_TRUE(key) << (key ? "" : key.error().message);
    return *key;
  }
  [[nodiscard]] std::string mistake_in(std::string_view text) {
    folder_.write("keys.yaml", text);
    const auto loaded = load_keys(path_);
    EXPECT_FALSE(loaded);
    const auto message = loaded ? std::string{} : loaded.error().message;
    EXPECT_TRUE(message.starts_with(path_)) << message;
    return message.substr(std::min(path_.size() + 1, message.size()));
  }
  [[nodiscard]] static mode_t mode_of(const std::string& path) {
    struct stat facts{};
    EXPECT_EQ(::stat(path.c_str(), &facts), 0);
    return facts.st_mode & 0777U;
  }

  scratch_folder folder_;
  std::string path_{folder_.file("keys.yaml")};
  wall_time now_{manual_clock{}.now().wall};
  const std::string hash_ = to_hex(sha256("some key"));
};

TEST_F(key_files, a_created_key_is_found_again_by_its_hash_with_all_it_was_given) {
  const auto made = make({.id = "ci",
                          .user = "zo\xC3\xAB \"q\" #: {x}\\",
                          .tier = "pro",
                          .team = "research",
                          .models = {"llama3.1:8b", "chat"},
                          .limits = {"10 requests/min", "2 concurrent"},
                          .expires_in = 24h});
  EXPECT_EQ(made.id, "ci");
  EXPECT_TRUE(made.secret.starts_with(api_key_prefix));
  EXPECT_EQ(made.secret.size(), api_key_prefix.size() + 64);
  const auto table = load_keys(path_);
  ASSERT_TRUE(table) << table.error().message;
  const auto* key = table->find(sha256(made.secret));
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->id, "ci");
  EXPECT_EQ(key->user, "zo\xC3\xAB \"q\" #: {x}\\");
  EXPECT_EQ(key->tier, "PRO");
  EXPECT_EQ(key->team, "research");
  EXPECT_EQ(key->models, (std::vector<std::string>{"llama3.1:8b", "chat"}));
  EXPECT_EQ(key->expires, now_ + 24h);
  EXPECT_EQ(key->created, now_);
  ASSERT_EQ(key->limits->size(), 2U);
  EXPECT_EQ(key->limits->front().text, "10 requests/min");
  EXPECT_EQ(key->limits->front().where, "keys.ci.limits[0]");
  EXPECT_EQ(key->limits->front().rule.spec().amount, 10);
  EXPECT_TRUE(key->limits->front().per.api_key);
}

TEST_F(key_files, a_secret_is_not_in_the_file) {
  const auto made = make({.user = "u-1"});
  const auto text = text_of_file(path_);
  EXPECT_EQ(text.find(made.secret.substr(api_key_prefix.size())), std::string::npos);
  EXPECT_EQ(text.find(made.secret.substr(api_key_prefix.size(), 12)), std::string::npos);
  EXPECT_NE(text.find(to_hex(sha256(made.secret))), std::string::npos);
}

TEST_F(key_files, keys_and_made_up_ids_differ) {
  std::set<std::string> ids;
  std::set<std::string> secrets;
  for (int i = 0; i < 20; ++i) {
    const auto made = make({.user = "u-1"});
    ids.insert(made.id);
    secrets.insert(made.secret);
  }
  EXPECT_EQ(ids.size(), 20U);
  EXPECT_EQ(secrets.size(), 20U);
  EXPECT_EQ(load_keys(path_).value().keys().size(), 20U);
}

TEST_F(key_files, only_the_owner_may_read_a_new_file_and_a_kept_one_stays_closed_to_others) {
  make({.user = "u-1"});
  EXPECT_EQ(mode_of(path_), 0600U);
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  make({.user = "u-2"});
  EXPECT_EQ(mode_of(path_), 0640U);
}

TEST_F(key_files, nothing_but_the_file_and_its_lock_is_left_behind) {
  make({.id = "a", .user = "u-1"});
  ASSERT_TRUE(revoke_key(path_, "a"));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator{folder_.file("")})
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"keys.yaml", "keys.yaml.lock"}));
}

TEST_F(key_files, a_link_to_the_file_stays_a_link) {
  const auto link = folder_.file("link.yaml");
  make({.id = "a", .user = "u-1"});
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  ASSERT_TRUE(create_key(link, {.id = "b", .user = "u-1"}, now_));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(load_keys(path_).value().keys().size(), 2U);
}

TEST_F(key_files, revoking_removes_one_key_and_says_when_there_is_none) {
  const auto first = make({.id = "a", .user = "u-1"});
  const auto second = make({.id = "b", .user = "u-2"});
  ASSERT_TRUE(revoke_key(path_, "a"));
  const auto table = load_keys(path_).value();
  EXPECT_EQ(table.find(sha256(first.secret)), nullptr);
  EXPECT_NE(table.find(sha256(second.secret)), nullptr);
  const auto again = revoke_key(path_, "a");
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("no key 'a'"), std::string::npos);
  ASSERT_TRUE(revoke_key(path_, "b"));
  EXPECT_TRUE(load_keys(path_).value().keys().empty());
}

TEST_F(key_files, writers_at_the_same_time_lose_nothing) {
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([this] {
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(create_key(path_, {.user = "u-1"}, now_));
    });
  for (auto& w : writers) w.join();
  EXPECT_EQ(load_keys(path_).value().keys().size(), 20U);
}

TEST_F(key_files, what_cannot_be_is_not_created) {
  make({.id = "a", .user = "u-1"});
  const auto refused = [&](const new_key& wanted) { return !create_key(path_, wanted, now_); };
  EXPECT_TRUE(refused({.id = "a", .user = "u-2"}));
  EXPECT_TRUE(refused({.id = "../x", .user = "u-2"}));
  EXPECT_TRUE(refused({.user = ""}));
  EXPECT_TRUE(refused({.user = "a\nb"}));
  EXPECT_TRUE(refused({.user = "u", .tier = "a\tb"}));
  EXPECT_TRUE(refused({.user = "u", .models = {""}}));
  EXPECT_TRUE(refused({.user = "u", .limits = {"many requests"}}));
  EXPECT_TRUE(refused({.user = "u", .expires_in = 0s}));
  EXPECT_EQ(load_keys(path_).value().keys().size(), 1U);
}

TEST_F(key_files, a_file_that_does_not_exist_holds_no_keys) {
  EXPECT_TRUE(load_keys(folder_.file("none.yaml")).value().keys().empty());
  EXPECT_FALSE(load_keys(folder_.file(""))) << "a folder is no file";
  EXPECT_FALSE(create_key(folder_.file("none/keys.yaml"), {.user = "u"}, now_));
}

TEST_F(key_files, a_file_written_by_hand_needs_three_names_only) {
  folder_.write("keys.yaml",
                "keys:\n  - {id: a, user: u-1, hash: " + hash_ + ", expires: 2027-01-01}\n");
  const auto table = load_keys(path_);
  ASSERT_TRUE(table) << table.error().message;
  const auto* key = table->find(sha256("some key"));
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->limits, nullptr);
  EXPECT_EQ(key->expires, wall_time{std::chrono::seconds{1798761600}});
}

TEST_F(key_files, mistakes_are_told_with_their_line) {
  const auto entry = [&](const std::string& more) {
    return "keys:\n  - id: a\n    user: u-1\n    hash: " + hash_ + "\n" + more;
  };
  EXPECT_EQ(mistake_in("- a\n").substr(0, 4), "1:1:");
  EXPECT_EQ(mistake_in("keys:\n  a: b\n").substr(0, 4), "2:3:");
  EXPECT_NE(mistake_in("keys:\n  - id: a\n    user: u\n").find("'hash' is missing"),
            std::string::npos);
  EXPECT_EQ(mistake_in(entry("    modles: [a]\n")).substr(0, 4), "5:5:");
  EXPECT_NE(mistake_in(entry("    modles: [a]\n")).find("did you mean 'models'"),
            std::string::npos);
  EXPECT_EQ(mistake_in(entry("    models: a\n")).substr(0, 2), "5:");
  EXPECT_EQ(mistake_in(entry("    limits: [1 request/never]\n")).substr(0, 2), "5:");
  EXPECT_EQ(mistake_in(entry("    expires: tomorrow\n")).substr(0, 2), "5:");
  EXPECT_EQ(mistake_in(entry("    expires: 2027-02-30\n")).substr(0, 2), "5:");
  EXPECT_EQ(
      mistake_in(entry("  - {id: a, user: u, hash: " + to_hex(sha256("x")) + "}\n")).substr(0, 2),
      "5:");
  EXPECT_NE(mistake_in(entry("  - {id: b, user: u, hash: " + hash_ + "}\n")).find("stands twice"),
            std::string::npos);
  EXPECT_EQ(mistake_in("keys: [\n").substr(0, 1), "2");
}

TEST_F(key_files, a_secret_written_in_place_of_a_hash_is_not_repeated) {
  const auto message = mistake_in("keys:\n  - {id: a, user: u, hash: sk-weir-SECRET}\n");
  EXPECT_EQ(message.find("SECRET"), std::string::npos);
  EXPECT_NE(message.find("64 hexadecimal digits"), std::string::npos);
}

}  // namespace
}  // namespace weir::identity::testing
