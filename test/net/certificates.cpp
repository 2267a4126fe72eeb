// Making certificates with OpenSSL.
#include "net/certificates.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace weir::net {
namespace {

struct free_all {
  void operator()(EVP_PKEY* one) const { ::EVP_PKEY_free(one); }
  void operator()(X509* one) const { ::X509_free(one); }
  void operator()(X509_EXTENSION* one) const { ::X509_EXTENSION_free(one); }
  void operator()(std::FILE* one) const { std::fclose(one); }
};
template <class T>
using owned = std::unique_ptr<T, free_all>;

std::string fresh_file() {
  std::string path = ::testing::TempDir() + "weir_net_XXXXXX";
  const int fd = ::mkstemp(path.data());
  EXPECT_GE(fd, 0);
  ::close(fd);
  return path;
}

}  // namespace

certificate::certificate(const std::string& names) : cert_{fresh_file()}, key_{fresh_file()} {
  const owned<EVP_PKEY> key{::EVP_EC_gen("P-256")};
  const owned<X509> made{::X509_new()};
  ::X509_set_version(made.get(), 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(made.get()), 1);
  ::X509_gmtime_adj(::X509_getm_notBefore(made.get()), -3600);
  ::X509_gmtime_adj(::X509_getm_notAfter(made.get()), 86400);
  ::X509_set_pubkey(made.get(), key.get());
  X509_NAME* subject = ::X509_get_subject_name(made.get());
  ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("weir test"), -1, -1, 0);
  ::X509_set_issuer_name(made.get(), subject);
  const owned<X509_EXTENSION> alt{
      ::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str())};
  ::X509_add_ext(made.get(), alt.get(), -1);
  EXPECT_GT(::X509_sign(made.get(), key.get(), ::EVP_sha256()), 0);
  const owned<std::FILE> cert_to{std::fopen(cert_.c_str(), "w")};
  const owned<std::FILE> key_to{std::fopen(key_.c_str(), "w")};
  EXPECT_EQ(::PEM_write_X509(cert_to.get(), made.get()), 1);
  EXPECT_EQ(::PEM_write_PrivateKey(key_to.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr),
            1);
}

certificate::~certificate() {
  ::unlink(cert_.c_str());
  ::unlink(key_.c_str());
}

}  // namespace weir::net
