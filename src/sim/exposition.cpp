// Prometheus text, written in the manner of Python's prometheus_client: floats with a point, a
// _created gauge for each counter and histogram.
#include "sim/exposition.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>

namespace weir::sim {
namespace {

std::string escaped(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// 1.0, 0.25, 2560.0, 1000000.0
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

class writer {
 public:
  writer(std::string_view model, wall_time created)
      : model_{escaped(model)},
        engine_{fmt::format("engine=\"0\",model_name=\"{}\"", model_)},
        created_{static_cast<double>(created.time_since_epoch().count()) / 1e6} {}

  void gauge(std::string_view name, std::string_view help, double value) {
    family(name, help, "gauge");
    series(name, engine_, value);
  }
  // Without its suffix: the series get _total and _created.
  void counter(std::string_view name, std::string_view help, std::int64_t value) {
    counters(name, help, {}, {{"", value}});
  }
  struct labelled {
    std::string_view label;
    std::int64_t value;
  };
  // One series per value of `label`; admission rejections are the front end's, so without engine.
  void counters(std::string_view name, std::string_view help, std::string_view label,
                std::initializer_list<labelled> values, bool of_engine = true) {
    const std::string base = of_engine ? engine_ : fmt::format("model_name=\"{}\"", model_);
    const auto total = fmt::format("{}_total", name);
    const auto born = fmt::format("{}_created", name);
    const auto labels = [&](const labelled& one) {
      return label.empty() ? base : fmt::format("{},{}=\"{}\"", base, label, one.label);
    };
    family(total, help, "counter");
    for (const auto& one : values) series(total, labels(one), static_cast<double>(one.value));
    family(born, help, "gauge");
    for (const auto& one : values) series(born, labels(one), created_);
  }
  // `unit`: what one is in observations, 1'000'000 for microseconds shown as seconds.
  void histogram_of(std::string_view name, std::string_view help, const histogram& h, double unit) {
    family(name, help, "histogram");
    const auto bucket = fmt::format("{}_bucket", name);
    std::int64_t below = 0;
    for (std::size_t i = 0; i < h.counts().size(); ++i) {
      below += h.counts()[i];
      const bool last = i == h.bounds().size();
      const auto bound = last ? "+Inf" : number(static_cast<double>(h.bounds()[i]) / unit);
      series(bucket, fmt::format("{},le=\"{}\"", engine_, bound), static_cast<double>(below));
    }
    series(fmt::format("{}_count", name), engine_, static_cast<double>(h.count()));
    series(fmt::format("{}_sum", name), engine_, static_cast<double>(h.sum()) / unit);
    const auto born = fmt::format("{}_created", name);
    family(born, help, "gauge");
    series(born, engine_, created_);
  }
  void info(std::string_view name, std::string_view help, std::string_view labels) {
    family(name, help, "gauge");
    series(name, labels, 1);
  }

  std::string out;

 private:
  void family(std::string_view name, std::string_view help, std::string_view kind) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
  }
  void series(std::string_view name, std::string_view labels, double value) {
    fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels, number(value));
  }

  std::string model_;
  std::string engine_;
  double created_;
};

void append_state(writer& w, const engine& of) {
  w.gauge("vllm:num_requests_running", "Number of requests in model execution batches.",
          static_cast<double>(of.running()));
  w.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.",
          static_cast<double>(of.waiting()));
  w.gauge("vllm:kv_cache_usage_perc", "KV cache usage, 1 means full.", of.kv_usage());
  w.info("vllm:cache_config_info", "Configuration of the KV cache.",
         fmt::format("block_size=\"{}\",enable_prefix_caching=\"False\",engine=\"0\","
                     "num_gpu_blocks=\"{}\"",
                     of.options().block_size, of.options().kv_blocks));
}

void append_counters(writer& w, const engine_metrics& m) {
  w.counter("vllm:prompt_tokens", "Prefill tokens processed.", m.prompt_tokens);
  w.counter("vllm:generation_tokens", "Generation tokens processed.", m.generation_tokens);
  w.counter("vllm:num_preemptions", "Preemptions by the scheduler.", m.preemptions);
  w.counter("vllm:prefix_cache_queries", "Prefix cache queries, in tokens.", m.prefix_queries);
  w.counter("vllm:prefix_cache_hits", "Prefix cache hits, in tokens.", 0);
  w.counter("vllm:corrupted_requests", "Requests with NaN in their logits.", 0);
  w.counters("vllm:request_success", "Requests that were processed.", "finished_reason",
             {{"stop", m.ended[0]}, {"length", m.ended[1]}, {"abort", m.ended[2]}, {"error", 0}});
  w.counters(
      "vllm:admission_rejections", "Requests rejected at admission.", "reason",
      {{"max_num_queued_reqs", m.rejected_reqs}, {"max_num_queued_tokens", m.rejected_tokens}},
      false);
}

void append_histograms(writer& w, const engine_metrics& m) {
  constexpr double us = 1e6;
  w.histogram_of("vllm:time_to_first_token_seconds", "Time to first token.", m.first_token, us);
  w.histogram_of("vllm:inter_token_latency_seconds", "Time between tokens.", m.inter_token, us);
  w.histogram_of("vllm:request_time_per_output_token_seconds", "Mean time per output token.",
                 m.per_output_token, us);
  w.histogram_of("vllm:e2e_request_latency_seconds", "End-to-end latency.", m.end_to_end, us);
  w.histogram_of("vllm:request_queue_time_seconds", "Time in WAITING phase.", m.queued, us);
  w.histogram_of("vllm:request_inference_time_seconds", "Time in RUNNING phase.", m.inference, us);
  w.histogram_of("vllm:request_prefill_time_seconds", "Time in PREFILL phase.", m.prefill, us);
  w.histogram_of("vllm:request_decode_time_seconds", "Time in DECODE phase.", m.decode, us);
  w.histogram_of("vllm:request_prompt_tokens", "Prefill tokens per request.", m.request_prompt, 1);
  w.histogram_of("vllm:request_generation_tokens", "Generation tokens per request.",
                 m.request_answer, 1);
  w.histogram_of("vllm:request_params_max_tokens", "The max_tokens parameter.", m.request_max, 1);
  w.histogram_of("vllm:request_params_n", "The n parameter.", m.request_n, 1);
  w.histogram_of("vllm:iteration_tokens_total", "Tokens per engine step.", m.iteration, 1);
}

struct dcgm_row {
  std::string_view name;
  std::string_view help;
  std::int64_t value;
};

}  // namespace

std::string vllm_exposition(const engine& of, std::string_view model, wall_time created) {
  writer w{model, created};
  append_state(w, of);
  append_counters(w, of.metrics());
  append_histograms(w, of.metrics());
  return std::move(w.out);
}

std::string dcgm_exposition(const engine& of, mono_time now) {
  constexpr std::int64_t memory_mib = 24'576;
  constexpr std::int64_t weights_mib = 16'384;
  constexpr std::int64_t reserved_mib = 512;
  constexpr std::int64_t cache_mib = memory_mib - weights_mib - reserved_mib;
  const double busy = of.busy(now);
  const auto used =
      weights_mib + static_cast<std::int64_t>(of.kv_usage() * static_cast<double>(cache_mib));
  const auto share = [busy](double idle, double full) {
    return static_cast<std::int64_t>(idle + busy * (full - idle));
  };
  const dcgm_row rows[] = {
      {"DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", share(0, 100)},
      {"DCGM_FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).", share(0, 80)},
      {"DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", share(34, 76)},
      {"DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", share(28, 350)},
      {"DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).",
       memory_mib - reserved_mib - used},
      {"DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", used},
      {"DCGM_FI_DEV_FB_RESERVED", "Framebuffer memory reserved (in MiB).", reserved_mib},
      {"DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 0},
  };
  std::string out;
  for (const auto& row : rows) {
    fmt::format_to(std::back_inserter(out),
                   "# HELP {0} {1}\n# TYPE {0} gauge\n"
                   "{0}{{gpu=\"0\",UUID=\"GPU-51a0c0de-0000-0000-0000-000000000000\","
                   "device=\"nvidia0\",modelName=\"Simulated GPU\",hostname=\"sim\"}} {2}\n",
                   row.name, row.help, row.value);
  }
  return out;
}

}  // namespace weir::sim
