// The addresses that a courier sends to without an explicit permission: public ones, and nothing that only looks public.
import { describe, expect, test } from "vitest";
import { isPublicAddress, PrivateAddress, requirePublic } from "./ssrf-safe-post.ts";

describe("an address", () => {
  test.each(["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const others =
    "127.0.0.1 127.8.8.8 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 192.0.2.1 198.18.0.1 203.0.113.9 " +
    "224.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::7f00:1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001:db8::1 fd00::1 " +
    "fe80::1 fec0::1 ff02::1 localhost";
  test.each(others.split(" "))("%s is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://localhost/",
    "https://[::ffff:127.0.0.1]/",
  ])("a request to %s is refused, however it is written", async (url) => {
    await expect(requirePublic(new URL(url))).rejects.toThrow(PrivateAddress);
  });
});
