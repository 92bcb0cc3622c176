import { expect, test } from "vitest";
import { ninthDigitForms, readChatId } from "./chat-id.ts";

test("a person's number is canonical, whichever form WhatsApp registered and whichever device wrote", () => {
  const canonical = { kind: "phone", phone: "5531987654321" };
  expect(readChatId("5531987654321@s.whatsapp.net")).toMatchObject(canonical);
  expect(readChatId("553187654321:12@s.whatsapp.net")).toEqual({
    ...canonical,
    jid: "553187654321@s.whatsapp.net",
  });
  expect(readChatId("553187654321@c.us")).toMatchObject(canonical);
  expect(readChatId("553132214321@s.whatsapp.net")).toMatchObject({ phone: "553132214321" });
  expect(readChatId("14155552671@s.whatsapp.net")).toMatchObject({ phone: "14155552671" });
});

test("W17 hidden identities, groups, status updates and nonsense are distinguished @spec 9.17", () => {
  expect(readChatId("70000000000001:3@lid")).toEqual({ kind: "lid", lid: "70000000000001@lid" });
  expect(readChatId("120363000000000000@g.us")).toEqual({ kind: "group", jid: "120363000000000000@g.us" });
  expect(readChatId("5511999990000-1600000000@g.us")).toMatchObject({ kind: "group" });
  for (const text of [
    "status@broadcast",
    "123@newsletter",
    "",
    "@lid",
    "abc@s.whatsapp.net",
    "0@s.whatsapp.net",
    "000@hosted",
    "05531987654321@c.us",
    `${"9".repeat(16)}@s.whatsapp.net`,
  ])
    expect(readChatId(text), text).toEqual({ kind: "none" });
});

test("both ninth-digit forms of a Brazilian mobile are asked, as given first", () => {
  expect(ninthDigitForms("5531987654321")).toEqual(["5531987654321", "553187654321"]);
  expect(ninthDigitForms("553187654321")).toEqual(["553187654321", "5531987654321"]);
  expect(ninthDigitForms("14155552671")).toEqual(["14155552671"]);
});
