import { expect, test } from "vitest";
import { readSender, readSmtpUrl } from "./smtp-url.ts";

test.each([
  ["smtp://mail.exemplo.com", { host: "mail.exemplo.com", port: 587, secure: false, auth: null }],
  [
    "smtps://ana:s%40nha@mail.exemplo.com",
    { host: "mail.exemplo.com", port: 465, secure: true, auth: { user: "ana", pass: "s@nha" } },
  ],
  ["smtp://[::1]:2525/", { host: "::1", port: 2525, secure: false, auth: null }],
])("%s", (text, server) => {
  expect(readSmtpUrl(text)).toEqual(server);
});

test.each([
  "",
  "mail.exemplo.com",
  "http://mail.exemplo.com",
  "smtp://",
  "smtp://ana@mail",
  "smtp://a:%zz@mail",
  "smtp://mail/x",
])("%s is no mail server", (text) => {
  expect(readSmtpUrl(text)).toBeUndefined();
});

test("a sender with or without a name", () => {
  expect(readSender("avisos@exemplo.com")).toEqual({ name: "Recado", address: "avisos@exemplo.com" });
  expect(readSender("Loja da Ana <Avisos@Exemplo.com>")).toEqual({
    name: "Loja da Ana",
    address: "avisos@exemplo.com",
  });
  for (const text of ["", "Ana", "Ana <ana>", "a@b.com\r\nBcc: c@d.com", "x <a@b.com> <c@d.com>"])
    expect(readSender(text)).toBeUndefined();
});
