import { describe, expect, test } from "vitest";
import { type ArrivedRequest, secureCheck as checkOf } from "./secure-request.ts";

const secureCheck = (trustedProxies: readonly string[], baseUrl = "http://localhost:8787", privateName = true) =>
  checkOf({ trustedProxies, baseUrl, privateName });

const arrival = (remoteAddress: string | undefined, headers: Record<string, string> = {}, localAddress = "127.0.0.1"): ArrivedRequest => ({
  socket: { remoteAddress, localAddress },
  headers: { host: "localhost:8787", ...headers },
});
const https = { "x-forwarded-proto": "https" };

describe("a secret is only taken where nobody on the way can read it", () => {
  test("over TLS, wherever it comes from and whatever it says", () => {
    const { socket, headers } = arrival("203.0.113.9", { host: "board.example", "x-forwarded-proto": "http" }, "198.51.100.1");
    expect(secureCheck([])({ socket: { ...socket, encrypted: true }, headers })).toBe(true);
  });

  test.each([
    ["10.0.0.7", "https", true],
    ["10.255.0.1", "https", true],
    ["::ffff:10.0.0.7", "https", true],
    ["192.0.2.1", "https", true],
    ["2001:db8:1::5", "https", true],
    ["10.0.0.7", "http", false],
    ["10.0.0.7", "HTTPS", false],
    ["10.0.0.7", "https, http", false],
    ["10.0.0.7", "http, https", false],
    ["10.0.0.7", "https,https", false],
    ["10.0.0.7", " https", false],
    ["10.0.0.7", "", false],
    ["11.0.0.7", "https", false],
    ["192.0.2.2", "https", false],
    ["2001:db8:2::5", "https", false],
    ["fe80::1%eth0", "https", false],
    ["127.0.0.1", "https", false],
  ])("from %s with X-Forwarded-Proto %j: %s", (peer, proto, expected) => {
    const secure = secureCheck(["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48"]);
    expect(secure(arrival(peer, { host: "board.example", "x-forwarded-proto": proto }))).toBe(expected);
  });

  test("a proxy that was not named is not believed", () => {
    expect(secureCheck([])(arrival("10.0.0.7", https))).toBe(false);
    expect(secureCheck(["127.0.0.1"])(arrival("127.0.0.1", https))).toBe(true);
  });

  test.each(["localhost", "LOCALHOST", "localhost:1", "127.0.0.1", "127.0.0.1:8787", "127.8.9.1:80", "[::1]", "[::1]:8787"])(
    "on one machine, as %s",
    (host) => {
      const secure = secureCheck([]);
      expect(secure(arrival("127.0.0.1", { host }))).toBe(true);
      expect(secure(arrival("::ffff:127.0.0.1", { host }, "::ffff:127.0.0.1"))).toBe(true);
      expect(secure(arrival("::1", { host }, "::1"))).toBe(true);
      expect(secure(arrival("203.0.113.9", { host }))).toBe(false);
      expect(secure(arrival("127.0.0.1", { host }, "198.51.100.1"))).toBe(false);
      expect(secure(arrival(undefined, { host }))).toBe(false);
    },
  );

  test.each([
    "board.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:127",
    "localhost:port",
    "::1",
    "0.0.0.0",
    "",
  ])("a page that points the name %j at this machine gets nothing", (host) =>
    expect(secureCheck([])(arrival("127.0.0.1", { host }))).toBe(false),
  );

  // oxfmt-ignore
  test.each([
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-forwarded-ssl", "x-forwarded-server",
    "x-real-ip", "x-client-ip", "x-original-host", "true-client-ip", "cf-connecting-ip", "cdn-loop", "x-envoy-external-address",
    "x-amzn-trace-id", "x-appengine-user-ip", "x-azure-clientip", "x-cloud-trace-context",
  ])("a proxy on the same machine that adds %s is no loopback caller", (name) => {
    expect(secureCheck([])(arrival("127.0.0.1", { [name]: "https" }))).toBe(false);
  });

  test.each([
    ["https://board.example", false],
    ["http://board.example", false],
    ["https://board.lan", true],
  ])("where the board is at %s, a proxy that says nothing is not taken for the machine itself", (baseUrl, privateName) => {
    const secure = secureCheck(["10.0.0.7"], baseUrl, privateName);
    expect(secure(arrival("127.0.0.1", { host: "127.0.0.1:8787" }))).toBe(false);
    expect(secure(arrival("10.0.0.7", { host: "board.example", ...https }))).toBe(true);
    const { socket, headers } = arrival("127.0.0.1");
    expect(secure({ socket: { ...socket, encrypted: true }, headers })).toBe(true);
  });

  test.each(["http://localhost:8787", "https://localhost:8787", "http://board.lan", "http://192.168.1.7"])(
    "where the board is at %s, its own machine may send secrets",
    (baseUrl) => expect(secureCheck([], baseUrl)(arrival("127.0.0.1"))).toBe(true),
  );
});
