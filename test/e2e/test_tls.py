"""TLS towards callers and towards engines."""
import ssl
import subprocess

import pytest

import raw
import support
from support import chat_body, settings, token


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A self-signed certificate of localhost: (certificate, key)."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    return str(cert), str(key)


def server_side(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


def test_callers_and_engines_over_tls(start, engine, certificate):
    up = engine(tls=server_side(certificate))
    cert, key = certificate
    weir = start(settings(up, server={"tls": {"cert": cert, "key": key}},
                          providers={"up1": {"ca": cert}}))
    caller = ssl.create_default_context(cafile=cert)
    for stream in (False, True):
        data = raw.request_bytes("POST", "/v1/chat/completions", chat_body(stream=stream),
                                 {"Authorization": f"Bearer {token()}"})
        answer = raw.exchange(weir.port, data, tls=caller)
        assert answer.status == 200 and answer.complete
    assert weir.wait_calls(2)[1]["outcome"] == "success"
    with raw.Connection(weir.port) as plain:
        plain.send(b"GET /v1/models HTTP/1.1\r\nHost: gw\r\n\r\n")
        assert plain.closed_within(15) and b"HTTP/1.1 200" not in plain.data


def test_an_engine_whose_certificate_nobody_signed_is_not_talked_to(start, engine, certificate):
    up = engine(tls=server_side(certificate))
    weir = start(settings(up))
    assert weir.chat().status == 502 and not up.requests
    assert weir.reload(settings(up, providers={"up1": {"tls_verify": False}}))
    support.eventually(lambda: weir.chat().status == 200)
