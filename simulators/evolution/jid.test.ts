import { expect, test } from "vitest";
import { createJid } from "./jid.ts";
import { makePeople, wholeNumber } from "./people.ts";

test.each([
  ["5511988887777", "5511988887777@s.whatsapp.net"],
  ["551188887777", "551188887777@s.whatsapp.net"],
  ["11988887777", "11988887777@s.whatsapp.net"],
  ["5531988887777", "553188887777@s.whatsapp.net"],
  ["5531968887777", "5531968887777@s.whatsapp.net"],
  ["5531378887777", "553178887777@s.whatsapp.net"],
  ["5215512345678", "525512345678@s.whatsapp.net"],
  ["+55 (11) 98888-7777", "5511988887777@s.whatsapp.net"],
  ["120363012345678901", "120363012345678901@g.us"],
  ["75511@lid", "75511@lid"],
  ["status@broadcast", "status@broadcast"],
  ["abc", "@s.whatsapp.net"],
  ["", "@s.whatsapp.net"],
])("the gateway makes %s into %s", (number, jid) => {
  expect(createJid(number)).toBe(jid);
});

test("both ninth-digit forms are one person, known to WhatsApp under one of them", () => {
  const people = makePeople();
  for (const form of ["5531987654321", "553187654321"]) {
    expect(people.find(form)).toMatchObject({ phone: "5531987654321", jid: "553187654321@s.whatsapp.net" });
  }
  expect(people.find("551187654321")?.jid).toBe("5511987654321@s.whatsapp.net");
  people.set({ phone: "551187654321", ninthDigit: false });
  expect(people.find("5511987654321")?.jid).toBe("551187654321@s.whatsapp.net");
  expect(wholeNumber("551133334444")).toBe("551133334444");
});

test("LIDs lead to their person; impossible numbers and those not on WhatsApp to no one", () => {
  const people = makePeople();
  people.set({ phone: "5511911112222", lid: "123456789" });
  people.set({ phone: "5511985556666", onWhatsApp: false });
  expect(people.find("123456789@lid")?.phone).toBe("5511911112222");
  expect(people.find("75511911113333@lid")?.phone).toBe("5511911113333");
  for (const absent of ["5511985556666", "551185556666", "5511000000000", "123", "", "5500911112222"])
    expect(people.find(absent), absent).toBeNull();
});
