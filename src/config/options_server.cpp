// The rows of `server`, `admin`, `store` and `data_dir`.
#include "config/option_rows.hpp"

namespace weir::config {

namespace {

constexpr std::int64_t ms = 1000;
constexpr std::int64_t hour = 3'600'000'000;
constexpr std::int64_t kib = 1024;

template <auto Member>
constexpr auto of_server = &field<&settings::server, Member>;

void add_server(std::vector<option>& rows) {
  rows.push_back({.path = "server", .sentence = "How callers reach weir."});
  rows.push_back({.path = "server.listen",
                  .type = kind::address,
                  .assign = of_server<&server_settings::listen>,
                  .fallback = "0.0.0.0:8080",
                  .restart = true,
                  .sentence = "Where the data plane listens; port 0 lets the system choose."});
  rows.push_back({.path = "server.tls",
                  .sentence = "TLS towards callers; without it weir speaks plain HTTP."});
  rows.push_back({.path = "server.tls.cert",
                  .type = kind::text,
                  .assign = &field<&settings::server, &server_settings::tls, &tls_files::cert>,
                  .least = 1,
                  .required = true,
                  .restart = true,
                  .sentence = "PEM file of the certificate and its chain."});
  rows.push_back({.path = "server.tls.key",
                  .type = kind::text,
                  .assign = &field<&settings::server, &server_settings::tls, &tls_files::key>,
                  .least = 1,
                  .required = true,
                  .restart = true,
                  .sentence = "PEM file of the certificate's key."});
  rows.push_back({.path = "server.max_body",
                  .type = kind::size,
                  .assign = of_server<&server_settings::max_body>,
                  .fallback = "20MiB",
                  .least = kib,
                  .most = kib * kib * kib,
                  .sentence = "The largest request body; a larger one is a 413."});
  rows.push_back({.path = "server.max_header",
                  .type = kind::size,
                  .assign = of_server<&server_settings::max_header>,
                  .fallback = "64KiB",
                  .least = kib,
                  .most = kib * kib,
                  .sentence = "The largest request head; a larger one is a 431."});
  rows.push_back({.path = "server.max_depth",
                  .type = kind::integer,
                  .assign = of_server<&server_settings::max_depth>,
                  .fallback = "128",
                  .least = 4,
                  .most = 1000,
                  .sentence = "How deep the JSON of a request may nest."});
  rows.push_back({.path = "server.trusted_proxies[]",
                  .type = kind::network,
                  .assign = of_server<&server_settings::trusted_proxies>,
                  .sentence = "Networks of proxies whose X-Forwarded-For is believed."});
  rows.push_back({.path = "server.threads",
                  .type = kind::integer,
                  .assign = of_server<&server_settings::threads>,
                  .fallback = "0",
                  .most = 256,
                  .restart = true,
                  .sentence = "Worker threads; 0 is one per core."});
  rows.push_back({.path = "server.max_connections_per_address",
                  .type = kind::integer,
                  .assign = of_server<&server_settings::max_connections_per_address>,
                  .fallback = "0",
                  .most = 1'000'000,
                  .sentence = "Connections one client address may hold; 0 is no cap."});
  rows.push_back({.path = "server.cors",
                  .sentence = "Cross-origin calls from browsers; off while no origin is named."});
  rows.push_back(
      {.path = "server.cors.origins[]",
       .type = kind::origin,
       .assign = &field<&settings::server, &server_settings::cors, &cors_settings::origins>,
       .sentence = "Origins whose pages may call, exactly as browsers send them."});
}

void add_server_times(std::vector<option>& rows) {
  rows.push_back({.path = "server.header_timeout",
                  .type = kind::duration,
                  .assign = of_server<&server_settings::header_timeout>,
                  .fallback = "10s",
                  .least = 100 * ms,
                  .most = hour,
                  .sentence = "From the first byte of a request head to its end."});
  rows.push_back({.path = "server.body_timeout",
                  .type = kind::duration,
                  .assign = of_server<&server_settings::body_timeout>,
                  .fallback = "30s",
                  .least = 100 * ms,
                  .most = hour,
                  .sentence = "For a whole request body to arrive."});
  rows.push_back({.path = "server.idle_timeout",
                  .type = kind::duration,
                  .assign = of_server<&server_settings::idle_timeout>,
                  .fallback = "75s",
                  .least = 100 * ms,
                  .most = 24 * hour,
                  .sentence = "How long a connection is kept open between requests."});
  rows.push_back({.path = "server.write_timeout",
                  .type = kind::duration,
                  .assign = of_server<&server_settings::write_timeout>,
                  .fallback = "30s",
                  .least = 100 * ms,
                  .most = hour,
                  .sentence = "A caller that takes no byte of its answer for so long is dropped."});
  rows.push_back({.path = "server.drain_timeout",
                  .type = kind::duration,
                  .assign = of_server<&server_settings::drain_timeout>,
                  .fallback = "30s",
                  .most = 24 * hour,
                  .sentence = "After SIGTERM, how long running answers may go on."});
  rows.push_back(
      {.path = "server.heartbeat",
       .type = kind::duration,
       .assign = of_server<&server_settings::heartbeat>,
       .fallback = "0",
       .most = hour,
       .sentence = "A comment line is sent in a stream silent for so long; 0 is never."});
}

void add_admin_and_store(std::vector<option>& rows) {
  rows.push_back({.path = "admin", .sentence = "The admin plane: metrics, health, internal API."});
  rows.push_back({.path = "admin.listen",
                  .type = kind::address,
                  .assign = &field<&settings::admin, &admin_settings::listen>,
                  .fallback = "127.0.0.1:8081",
                  .restart = true,
                  .sentence = "Where the admin plane listens."});
  rows.push_back({.path = "admin.token",
                  .type = kind::secret,
                  .assign = &field<&settings::admin, &admin_settings::token>,
                  .restart = true,
                  .sentence = "Asked for by /internal/*; none: one is made and kept in data_dir."});
  rows.push_back({.path = "store",
                  .type = kind::choice,
                  .assign = [](const owner&, value) {},
                  .fallback = "embedded",
                  .choices = "embedded",
                  .restart = true,
                  .sentence = "Where the state of limits lives; embedded is in this process."});
  rows.push_back({.path = "data_dir",
                  .type = kind::text,
                  .assign = &field<&settings::data_dir>,
                  .fallback = "./weir-data",
                  .least = 1,
                  .restart = true,
                  .sentence = "Where weir keeps its files, from the folder it is started in."});
}

}  // namespace

void add_server_options(std::vector<option>& rows) {
  add_server(rows);
  add_server_times(rows);
  add_admin_and_store(rows);
}

}  // namespace weir::config
