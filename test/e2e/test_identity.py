"""Who is calling: tokens, API keys, rotating key sets, nobody."""
import base64
import hashlib
import hmac
import http.server
import json
import threading
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import support
from support import SECRET, eventually, settings, token


@pytest.fixture(scope="module")
def rsa_keys():
    return [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]


def key_set(*keys):
    """A JWKS of (kid, private key) pairs."""
    return json.dumps({"keys": [
        json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())) |
        {"use": "sig", "alg": "RS256"} | ({"kid": kid} if kid else {}) for kid, key in keys]})


def signed(key, kid=None, **claims):
    body = {"sub": "alice", "exp": int(time.time()) + 600} | claims
    return jwt.encode(body, key, algorithm="RS256", headers={"kid": kid} if kid else None)


def status(weir, text):
    return weir.get("/v1/models", user=None, headers={"Authorization": f"Bearer {text}"}).status


class KeyServer:
    """Serves one JWKS and counts how often it was asked."""

    def __init__(self, text):
        self.text, self.fetches = text, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.fetches += 1
                body = outer.text.encode()
                self.send_response(200 if body else 503)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks.json"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def key_server():
    made = []

    def make(text):
        made.append(KeyServer(text))
        return made[-1]
    yield make
    for one in made:
        one.server.shutdown()
        one.server.server_close()


def test_the_token_gives_user_and_tier_and_the_body_does_not(weir, up):
    weir.post("/v1/chat/completions", support.chat_body(user="mallory"), user="carol", tier="pro")
    weir.chat(user="dave", tier="no such tier")
    first, second = weir.wait_calls(2)
    assert (first["user"], first["tier"], first["how"]) == ("carol", "PRO", "jwt")
    assert (second["user"], second["tier"]) == ("dave", "FREE")
    assert up.requests[0].json["user"] == "mallory", "it passes, and decides nothing"


def test_without_credentials_the_address_is_the_user(weir):
    assert weir.chat(user=None).status == 200
    call = weir.last_call()
    assert (call["how"], call["user"], call["tier"]) == ("anonymous", "127.0.0.1", "FREE")


def test_anonymous_callers_can_be_kept_out(start, up):
    weir = start(settings(up, identity={"anonymous": False}))
    refused = weir.chat(user=None)
    assert refused.status == 401 and refused.get("WWW-Authenticate").startswith("Bearer")
    assert refused.error["type"] == "authentication_error"
    assert weir.chat().status == 200 and len(up.requests) == 1


def b64(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forged():
    now = int(time.time())
    good = {"sub": "alice", "exp": now + 600, "iss": "us", "aud": "weir"}

    def hs(claims, secret=SECRET, headers=None):
        return jwt.encode(claims, secret, algorithm="HS256", headers=headers)
    return {
        "alg none": f'{b64({"alg": "none"})}.{b64(good)}.',
        "alg not listed": jwt.encode(good, SECRET * 2, algorithm="HS512"),
        "another secret": hs(good, "another secret of thirty-two bytes or so"),
        "expired": hs(good | {"exp": now - 1}), "not yet": hs(good | {"nbf": now + 60}),
        "audience": hs(good | {"aud": ["other"]}),
        "no audience": hs({k: v for k, v in good.items() if k != "aud"}),
        "issuer": hs(good | {"iss": "them"}), "no user": hs({**good, "sub": ""}),
        "user with a line end": hs(good | {"sub": "a\nb"}),
        "crit": hs(good, headers={"crit": ["x"], "x": 1}),
        "four parts": hs(good) + ".x", "no parts": "hello", "three megabytes": "x.y." + "z" * 30_000,
        "exp as text": ".".join(hs(good).split(".")[:1]) + "." + b64(good | {"exp": str(now + 9)}) + ".x",
    }


@pytest.mark.parametrize("case", forged())
def test_bc_121_a_token_that_is_not_right_is_a_401_and_says_nothing(start, up, case):
    weir = start(settings(up, identity={"jwt": {"issuer": "us", "audience": "weir"}},
                          tiers={"FREE": {"limits": ["1 requests/h"]}}))
    good = token(iss="us", aud="weir")
    text = forged()[case]
    answer = weir.post("/v1/chat/completions", support.chat_body(), user=None,
                       headers={"Authorization": f"Bearer {text}"})
    assert answer.status == 401 and "error=" in answer.get("WWW-Authenticate")
    assert answer.error["code"] == "invalid_api_key" and not up.requests
    call = weir.last_call()
    assert call["reason"] and text not in weir.text
    assert status(weir, good) == 200, "a failed login takes nothing of the user's limit"


def test_bc_121_hs256_with_the_public_key_as_secret_is_refused(start, up, rsa_keys, tmp_path):
    pem = rsa_keys[0].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    file = tmp_path / "key.pem"
    file.write_bytes(pem)
    weir = start(settings(up, identity={"jwt": {"algorithms": ["RS256"], "secret": None,
                                                "public_key": str(file)}}))
    assert status(weir, signed(rsa_keys[0])) == 200
    assert status(weir, signed(rsa_keys[1])) == 401
    text = f'{b64({"alg": "HS256", "typ": "JWT"})}.{b64({"sub": "alice", "exp": int(time.time()) + 60})}'
    mac = base64.urlsafe_b64encode(hmac.new(pem, text.encode(), hashlib.sha256).digest())
    assert status(weir, f"{text}.{mac.rstrip(b'=').decode()}") == 401


def test_a_flood_of_bad_logins_is_held_back_and_good_ones_go_on(weir):
    statuses = [status(weir, "a.b.c") for _ in range(80)]
    assert set(statuses) == {401, 429} and statuses[0] == 401 and statuses[-1] == 429
    assert status(weir, token()) == 200


def jwks_settings(up, source):
    return settings(up, identity={"jwt": {"algorithms": ["RS256"], "secret": None, "jwks": source}})


def test_a_key_set_at_a_url_rotates_without_a_restart(start, up, rsa_keys, key_server):
    old, new = rsa_keys
    server = key_server(key_set(("one", old)))
    weir = start(jwks_settings(up, server.url))
    assert eventually(lambda: status(weir, signed(old, "one")) == 200)
    assert status(weir, signed(new, "two")) == 401
    server.text = ""
    assert status(weir, signed(old, "one")) == 200, "known keys serve while the server is down"
    server.text = key_set(("one", old), ("two", new))
    eventually(lambda: status(weir, signed(new, "two")) == 200, 45, 1)
    assert status(weir, signed(old, "one")) == 200


def test_bc_121_unknown_kids_do_not_hammer_the_key_server(start, up, rsa_keys, key_server):
    server = key_server(key_set(("one", rsa_keys[0])))
    weir = start(jwks_settings(up, server.url))
    eventually(lambda: status(weir, signed(rsa_keys[0], "one")) == 200)
    before = server.fetches
    for i in range(100):
        assert status(weir, signed(rsa_keys[1], f"k{i}")) in (401, 429)
    assert status(weir, signed(rsa_keys[1], "../../etc/passwd")) in (401, 429)
    assert server.fetches - before <= 1


def test_bc_121_no_kid_is_enough_only_where_there_is_one_key(start, up, rsa_keys, key_server):
    weir = start(jwks_settings(up, key_server(key_set(("one", rsa_keys[0]))).url))
    assert eventually(lambda: status(weir, signed(rsa_keys[0])) == 200)
    two = start(jwks_settings(up, key_server(key_set(("a", rsa_keys[0]), ("b", rsa_keys[1]))).url))
    eventually(lambda: status(two, signed(rsa_keys[0], "a")) == 200)
    assert status(two, signed(rsa_keys[0])) == 401


def test_api_keys_are_made_listed_limited_and_revoked(start, up, tmp_path):
    keys = tmp_path / "keys.yaml"
    weir = start(settings(up, identity={"api_keys": str(keys)}))

    def run(*arguments):
        done = support.run_weir("key", "--file", keys, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    secret = run("create", "--user", "bot", "--tier", "PRO", "--id", "ci", "--model", "small",
                 "--limit", "2 requests/h")
    assert secret.startswith("sk-weir-") and secret not in keys.read_text()
    assert keys.stat().st_mode & 0o077 == 0
    assert "ci" in run("list") and secret not in run("list")
    assert status(weir, secret) == 401, "not before it was read"
    assert weir.reload()
    use = {"Authorization": f"Bearer {secret}"}
    body = support.chat_body()
    refused = weir.post("/v1/chat/completions", body | {"model": "large"}, user=None, headers=use)
    assert refused.status == 403
    assert [m["id"] for m in weir.get("/v1/models", user=None,
                                      headers={"X-Api-Key": secret}).json["data"]] == ["small"]
    statuses = [weir.post("/v1/chat/completions", body, user=None, headers=use).status
                for _ in range(2)]
    assert statuses == [200, 429]
    call = next(c for c in weir.wait_calls(4) if c["status"] == 200 and c["method"] == "POST")
    assert (call["user"], call["tier"], call["how"], call["key_id"]) == ("bot", "PRO", "api_key", "ci")
    run("revoke", "ci")
    assert weir.reload()
    assert status(weir, secret) == 401
    assert status(weir, secret[:-1] + ("0" if secret[-1] != "0" else "1")) == 401
    assert secret not in weir.text


def test_an_api_key_expires(start, up, tmp_path):
    keys = tmp_path / "keys.yaml"
    done = support.run_weir("key", "--file", keys, "create", "--user", "bot", "--expires", "2s")
    weir = start(settings(up, identity={"api_keys": str(keys)}))
    first = status(weir, done.stdout.strip())
    time.sleep(2.5)
    assert first in (200, 401) and status(weir, done.stdout.strip()) == 401


def test_weir_token_makes_a_token_that_weir_takes(weir):
    done = support.run_weir("token", "--user", "eve", "--tier", "pro", "--secret", SECRET)
    by_file = support.run_weir("token", "--user", "eve", "-c", weir.config_path)
    assert done.returncode == by_file.returncode == 0
    assert status(weir, done.stdout.strip()) == status(weir, by_file.stdout.strip()) == 200
    assert weir.wait_calls(2)[0]["tier"] == "PRO"
