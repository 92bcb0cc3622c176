import { expect, test } from "vitest";
import {
  addressChangeEmail,
  confirmAddressEmail,
  downEmail,
  endedEmail,
  keyEmail,
  newSignInEmail,
  passwordEmail,
  pausedEmail,
  resetEmail,
  signUpEmail,
  testEmail,
  wrongPasswordsEmail,
} from "./emails.ts";

const NASTY = [
  "Parabéns! Acesse https://golpe.example/pix?u=1 agora",
  "www.golpe.example",
  "golpe．example／pix",
  "go\u200blpe․example",
  "ana@golpe.example",
  "\u202eelpmaxe.eplog//:sptth",
  "a\r\nBcc: alvo@golpe.example",
  `x${"golpe.example ".repeat(2_000)}`,
];
/** What mail programs turn into links. */
const LINK = /https?:|www\.|\S@\S|[\p{L}\p{N}]\.[\p{L}]{2,}/iu;
const at = new Date("2026-11-26T12:00:00Z");
const counts = { total: 3, sent: 3, error: 0, uncertain: 0, accepted: 0, skipped: 0 };
const access = (name: string) => [
  { kind: "key" as const, name, prefix: "rcd_1_ab-C" },
  { kind: "relay" as const, name, host: "golpe.example:8443" },
  { kind: "gateway" as const, name, host: "golpe。example" },
  { kind: "mistral" as const, hint: "x.io" },
];

test.each(["pt-BR", "en"] as const)("F5 no e-mail in %s carries a link that a caller chose", (language) => {
  for (const name of NASTY) {
    const reader = {
      email: "ana@exemplo.com",
      name,
      language,
      timeZone: "America/Sao_Paulo",
      confirmed: true,
    };
    const url = null;
    const until = at;
    const emails = [
      testEmail(reader, { at, url }),
      passwordEmail(reader, { at, url, ended: access(name), living: access(name) }),
      resetEmail(reader, { at, until }),
      confirmAddressEmail(reader, { at, until, change: false }),
      confirmAddressEmail(reader, { at, until, change: true }),
      signUpEmail(reader, { at, url }),
      addressChangeEmail(reader, { at }),
      newSignInEmail(reader, { at, url, browser: "Chrome, Windows", address: "10.0.0.1" }),
      keyEmail(reader, { at, url, name }),
      wrongPasswordsEmail(reader, { at, url }),
      endedEmail(reader, { at, url, id: 1, name, counts }),
      pausedEmail(reader, { at, url, id: 1, name, cause: "limit", left: 3 }),
      downEmail(reader, { at, url, name, cause: null, hindered: false, campaigns: 2 }),
    ];
    for (const { subject, body } of emails) {
      expect(`${subject}\n${body}`).not.toMatch(LINK);
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThan(100);
    }
  }
});

test("harmless names stay as they are; an emptied one counts as nameless", () => {
  const reader = {
    email: "ana@exemplo.com",
    name: "Ana Souza",
    language: "pt-BR" as const,
    timeZone: "America/Sao_Paulo",
    confirmed: true,
  };
  const email = endedEmail(reader, { at, url: null, id: 1, name: "Black Friday (SP)", counts });
  expect(email.subject).toBe("Campanha «Black Friday (SP)» concluída");
  expect(email.body).toMatch(/^Olá, Ana Souza\./);
  expect(keyEmail({ ...reader, name: "://" }, { at, url: null, name: "…" }).body).toMatch(
    /^Olá\.\n\nA chave de API «sem nome»/,
  );
});

test("a password's e-mail names at most twenty of each", () => {
  const reader = {
    email: "ana@exemplo.com",
    name: "Ana",
    language: "pt-BR" as const,
    timeZone: "America/Sao_Paulo",
    confirmed: true,
  };
  const ended = Array.from({ length: 50 }, (_, nth) => ({
    kind: "key" as const,
    name: `Chave ${nth}`,
    prefix: `rcd_${nth}_abcd`,
  }));
  const { body } = passwordEmail(reader, { at, url: null, ended, living: [] });
  expect(body.match(/^- chave de API/gm)).toHaveLength(20);
  expect(body).toContain("- e mais 30");
});
