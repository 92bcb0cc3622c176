import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../tests/support/code-point.ts";
import { brazilianPhone, DDDS } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";
import { exportPhone, formatPhone } from "./phone-written.ts";

const phone = (text: string) => {
  const reading = readPhone(text);
  return "error" in reading ? reading.error : reading.phone;
};

describe("one number in the ways people write it", () => {
  test.each([
    ["P01", "(11) 98765-4321"],
    ["P02", "11987654321"],
    ["P03", "5511987654321"],
    ["P04", "+55 11 98765-4321"],
    ["P05", "011 98765-4321"],
    ["P06", "0 15 11 98765-4321"],
    ["P06 a carrier of one's choice", "(0xx11) 98765-4321"],
    ["P06 the same", "0XX 11 98765-4321"],
    ["P14", "55 11 9 8765 4321"],
    ["P25 full-width digits", "（１１）９８７６５－４３２１"],
    ["P26 Arabic digits", "١١٩٨٧٦٥٤٣٢١"],
    ["C34 leading apostrophe", "'5511987654321"],
    ["C35 formula of text", '="5511987654321"'],
    ["dots", "11.98765.4321"],
    ["no-break space", "11\u00a098765-4321"],
    ["marks of Windows' contacts", "\u202a+55 11 98765\u201143\u202c21"],
    ["0055", "0055 11 98765-4321"],
    ["trunk zero left in", "+55 (0) 11 98765-4321"],
    ["a float", "5511987654321.0"],
  ])("%s %s", (_, text) => {
    expect(readPhone(text)).toEqual({ phone: "5511987654321", ninthAdded: false });
  });
});

describe("DDD 55 is not the country", () => {
  test.each([
    ["P07", "(55) 99999-1234", "5555999991234"],
    ["P08", "5599991234", "5555999991234"],
    ["P09", "+55 55 99999-1234", "5555999991234"],
    ["P10", "55 3221-1234", "555532211234"],
  ])("%s %s", (_, text, expected) => {
    expect(phone(text)).toBe(expected);
  });
});

describe("land lines and old mobiles", () => {
  test("P11 a land line is taken as it is", () => {
    expect(readPhone("11 3456-7890")).toEqual({ phone: "551134567890", ninthAdded: false });
  });
  test("P12 an old mobile of eight digits gets its ninth, and says so @decision 6", () => {
    expect(readPhone("11 8765-4321")).toEqual({ phone: "5511987654321", ninthAdded: true });
  });
  test("P13 twelve digits with 55", () => {
    expect(phone("551134567890")).toBe("551134567890");
    expect(readPhone("551187654321")).toEqual({ phone: "5511987654321", ninthAdded: true });
  });
});

describe("other countries", () => {
  test.each([
    ["P15", "+1 415 555 2671", "14155552671"],
    ["P16", "+351 912 345 678", "351912345678"],
    ["P17", "00351 912 345 678", "351912345678"],
    ["P18", "+595 981 123456", "595981123456"],
    ["P18 without its + it would be one in Uberlândia", "+34 912 345 678", "34912345678"],
    ["P18 without its country it would be one in Porto Velho", "+43 699 12345678", "4369912345678"],
    ["P19 country code that cannot be a DDD and number", "351912345678", "351912345678"],
    ["P19 the same, United States", "14155552671", "14155552671"],
    ["P19 as WhatsApp writes Argentina's", "5491123456789", "5491123456789"],
    ["P19 a mobile in Germany", "4915112345678", "4915112345678"],
    ["P19 a mobile in Indonesia", "6281234567890", "6281234567890"],
    ["P18 with its + it is meant", "+49 3333 4444555", "4933334444555"],
  ])("%s %s", (_, text, expected) => {
    expect(phone(text)).toBe(expected);
  });
  test.each([
    ["P19 could be a slip in a Brazilian number", "447911123456", "phone_too_many_digits"],
    ["P19 the same", "56912345678", "phone_unknown_ddd"],
    ["P19 the same, of a number that exists in Chile", "56987654321", "phone_unknown_ddd"],
    ["P28 the end of a second number", "(49) 3333-4444/5555", "phone_too_many_digits"],
    ["P28 the same of a mobile", "49 99206-7317 / 2489", "phone_too_many_digits"],
    ["P28 an extension", "(62) 3320-4764 707", "phone_too_many_digits"],
    ["P28 an extension, without brackets", "49 3320-4764 - 707", "phone_too_many_digits"],
    ["P28 two and three digits too many", "4999206731724", "phone_too_many_digits"],
    ["P28 the same", "49992067317248", "phone_too_many_digits"],
    ["P28 the same of a land line", "4933334444555", "phone_too_many_digits"],
    ["P28 the same in another city", "6233204764707", "phone_too_many_digits"],
    ["P28 the end of a second number, in bare digits", "49333344445555", "phone_too_many_digits"],
    ["26.8 a hidden id of WhatsApp without @lid", "431786734827265", "phone_hidden_id"],
    ["26.8 the same", "494681625791558", "phone_hidden_id"],
    ["26.8 the same of 14 digits", "43065005041418", "phone_too_many_digits"],
    ["26.8 the same, with a + before it", "+494681625791558", "phone_hidden_id"],
    ["does not exist", "+1 000 555 2671", "phone_foreign"],
    ["toll-free abroad", "+1 800 555 1234", "phone_toll_free"],
  ])("%s %s", (_, text, expected) => {
    expect(phone(text)).toBe(expected);
  });
});

describe("refused with its reason", () => {
  test.each([
    ["P20", "987654321", "phone_no_ddd"],
    ["P20", "8765-4321", "phone_no_ddd"],
    ["P21", "119876543211", "phone_too_many_digits"],
    ["P21 with country", "55119876543211", "phone_too_many_digits"],
    ["P22", "190", "phone_service"],
    ["P23", "0800 123 4567", "phone_toll_free"],
    ["P23", "4004-1234", "phone_toll_free"],
    ["P24", "5511000000000", "phone_nonexistent"],
    ["P27", "1198RAFAEL", "phone_letters"],
    ["P28", "11987654321;ext=5", "phone_letters"],
    ["P29", "1".repeat(201), "phone_too_many_digits"],
    ["C32", "5,51199E+12", "phone_scientific"],
    ["C33", "5.51199E+12", "phone_scientific"],
    ["without digits", "sem telefone", "phone_letters"],
    ["empty", "  ", "phone_missing"],
    ["only marks", "-", "phone_missing"],
    ["too short", "1234", "phone_too_short"],
    ["unknown DDD", "20 98765-4321", "phone_unknown_ddd"],
    ["two numbers in one cell", "11 98765-4321 / 11 91234-5678", "phone_several"],
    ["two numbers as Google parts them", "+55 11 98765-4321 ::: +55 11 91234-5678", "phone_several"],
  ])("%s %s", (_, text, expected) => {
    expect(readPhone(text)).toEqual({ error: expected });
  });
});

describe("what stands around a number", () => {
  test.each([
    ["IM02 an advertisement's form", "p:+5531988123411"],
    ["IM16 a label", "Cel.: (31) 98812-3411"],
    ["IM16 a telephone", "📱 31 98812-3411"],
    ["IM16 the same with its variation", "☎️ (31) 98812-3411"],
    ["a scheme", "tel:+55-31-98812-3411"],
    ["a program's prefix", "whatsapp:+5531988123411"],
    ["a label in brackets", "(WhatsApp) 31 98812-3411"],
    ["a label behind", "31 98812-3411 (WhatsApp)"],
    ["the same without brackets", "(31) 98812-3411 - whats"],
    ["a carrier", "Vivo: 31 98812-3411"],
    ["accents", "Número residencial: 31 98812-3411"],
    ["IM12 a link", "https://wa.me/5531988123411"],
    ["IM12 without its scheme", "wa.me/+5531988123411"],
    ["IM12 the long link", "https://api.whatsapp.com/send?phone=5531988123411&text=Ol%C3%A1%201"],
    [
      "the number behind the text",
      "https://web.whatsapp.com/send/?text=Oi&phone=%2B55%2031%2098812-3411&app_absent=0",
    ],
    ["an application's link", "whatsapp://send?phone=5531988123411"],
    ["a spreadsheet's link", '=HYPERLINK("https://wa.me/5531988123411";"Falar")'],
    ["a link without the country", "https://wa.me/31988123411"],
    ["IM13 an address", "5531988123411@c.us"],
    ["IM43 another", "5531988123411@s.whatsapp.net"],
    ["a device's address", "5531988123411:12@s.whatsapp.net"],
    ["IM17 thousands", "5,531,988,123,411"],
    ["IM17 thousands and cents", "5.531.988.123.411,00"],
    ["K13 square brackets", "[31] 98812-3411"],
    ["K13 brackets around the country", "(+55) 31 98812-3411"],
    ["K13 brackets around all", "<+55 31 98812-3411>"],
  ])("%s: %s", (_, text) => {
    expect(readPhone(text)).toEqual({ phone: "5531988123411", ninthAdded: false });
  });

  test.each([
    ["IM13 an address of before the ninth digit", "553188110023@c.us", "5531988110023"],
    ["IM19 Mexico as WhatsApp writes it", "+52 1 55 5512 3401", "525555123401"],
    ["IM19 the same digits", "5215555123402", "525555123402"],
    ["IM19 the same address", "5215555123402@s.whatsapp.net", "525555123402"],
    ["Argentina as WhatsApp writes it", "5491123456789@c.us", "5491123456789"],
    ["Argentina as it is dialled there", "+54 11 15-2345-6789", "5491123456789"],
    ["K13 Portugal in brackets", "(+351) 912 345 678", "351912345678"],
    ["a link abroad", "https://wa.me/351912345678", "351912345678"],
  ])("%s: %s", (_, text, expected) => {
    expect(phone(text)).toBe(expected);
  });

  test.each([
    ["a hidden id", "494681625791558@lid", "phone_hidden_id"],
    ["a hidden id that would be a number", "5531988123411@lid", "phone_hidden_id"],
    ["a group", "120363000000000123@g.us", "phone_group"],
    ["a group of before", "5531988123411-1612345678@g.us", "phone_group"],
    ["a channel", "120363000000000123@newsletter", "phone_group"],
    ["a list", "1612345678@broadcast", "phone_group"],
    ["an invitation to a group", "https://chat.whatsapp.com/AbC123", "phone_group"],
    ["a short link", "https://wa.me/message/ABC123DEF456", "phone_link"],
    ["an address of the web", "https://www.exemplo.com.br/31988123411", "phone_link"],
    ["a link that means two people", "https://wa.me/34988776655", "phone_link"],
    ["an address of 14 digits", "43065005041418@c.us", "phone_foreign"],
    ["an e-mail", "31988123411@exemplo.com.br", "phone_letters"],
    ["a word that is no label", "Recado Maria: 31 98812-3411", "phone_letters"],
    ["a fax", "Fax: (31) 3222-6618", "phone_letters"],
    ["an extension", "31 3222-6618 ramal 12", "phone_letters"],
    ["a line's number, which made it a stranger's", "1. (31) 3222-6618", "phone_nonexistent"],
    ["the same without brackets", "1) 31 3222-6618", "phone_nonexistent"],
    ["a sign of a keyboard", "1️⃣ (31) 3222-6618", "phone_letters"],
    ["several under labels", "Cel: 31 98812-3411 / Fixo: 31 3222-6618", "phone_several"],
  ])("%s: %s is refused", (_, text, expected) => {
    expect(phone(text)).toBe(expected);
  });
});

test("there are 67 area codes", () => {
  expect(new Set(DDDS).size).toBe(67);
});

test("shown and written", () => {
  expect(formatPhone("5531902341187")).toBe("+55 31 90234-1187");
  expect(formatPhone("553132341187")).toBe("+55 31 3234-1187");
  expect(formatPhone("351912345678")).toBe("+351 912 345 678");
  expect(formatPhone("14155552671")).toBe("+1 415 555 2671");
  expect(["Ana", "", "4002", "+351912345678"].map(formatPhone)).toEqual(["Ana", "", "4002", "+351912345678"]);
  expect(exportPhone("5511987654321")).toBe("55 11 98765-4321");
  expect(exportPhone("351912345678")).toBe("00 351 912345678");
});

const ddd = fc.constantFrom(...DDDS);
const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(""));
const mark = fc.constantFrom("", " ", "-", "(", ")", " - ");
const masked = (text: string) =>
  fc
    .array(mark, { minLength: text.length, maxLength: text.length })
    .map((marks) => [...text].map((digit, at) => digit + marks[at]).join(""));
const prefix = fc.constantFrom("", "55", "+55", "0055", "0", "015", "041");

test("a mobile number is itself under every prefix and mask @decision 6", () => {
  const writing = fc.tuple(ddd, digits(8), prefix).chain(([area, subscriber, before]) => {
    const canonical = `55${area}9${subscriber}`;
    return masked(`${area}9${subscriber}`).map((text) => ({ text: before + text, canonical }));
  });
  fc.assert(
    fc.property(writing, ({ text, canonical }) => {
      expect(readPhone(text)).toEqual({ phone: canonical, ninthAdded: false });
    }),
    { numRuns: 2_000 },
  );
});

test("what was understood is understood again in every form that we write", () => {
  const foreign = fc.constantFrom(
    "14155552671",
    "351912345678",
    "595981123456",
    "447911123456",
    "390612345678",
  );
  const brazil = fc.tuple(ddd, fc.oneof(digits(8), digits(9))).map(([area, rest]) => `55${area}${rest}`);
  fc.assert(
    fc.property(
      fc.oneof(
        foreign.map((number) => `+${number}`),
        brazil,
      ),
      (text) => {
        const read = readPhone(text);
        if ("error" in read) return;
        expect(phone(read.phone.startsWith("55") ? read.phone : `+${read.phone}`)).toBe(read.phone);
        expect(phone(exportPhone(read.phone))).toBe(read.phone);
        expect(phone(formatPhone(read.phone))).toBe(read.phone);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("26.8 no 15 digits without a country's + are anybody's number", () => {
  const id = fc.stringMatching(/^[1-9]\d{14}$/);
  const german = fc.stringMatching(/^(43|49|38|62|82|88)\d{13}$/);
  fc.assert(
    fc.property(fc.oneof(id, german), (text) => {
      expect(readPhone(text)).toHaveProperty("error");
    }),
    { numRuns: 5_000 },
  );
});

test("no text at all makes it throw", () => {
  const text = fc.oneof(
    fc.string({ unit: CODE_POINT, maxLength: 220 }),
    fc.stringMatching(/^[+0-9 ()./e,;-]{0,30}$/),
  );
  fc.assert(
    fc.property(text, (any) => {
      const read = readPhone(any);
      if ("phone" in read) expect(read.phone).toMatch(/^[1-9]\d{6,14}$/);
    }),
    { numRuns: 5_000 },
  );
});

test("the fast rule agrees with libphonenumber on every Brazilian number of ten and eleven digits @decision 6", () => {
  const national = fc.tuple(fc.integer({ min: 10, max: 99 }), fc.oneof(digits(8), digits(9)));
  fc.assert(
    fc.property(national, ([area, subscriber]) => {
      const ours = brazilianPhone(`+55${area}${subscriber}`);
      // Eight digits from 6 on are old mobiles; the library accepts some unchanged, we add the ninth digit.
      const old = subscriber.length === 8 && subscriber[0] !== undefined && subscriber[0] >= "6";
      const theirs = parsePhoneNumberFromString(`+55${area}${old ? "9" : ""}${subscriber}`);
      // The library also accepts 0300 and 0800 without the zero, which have no WhatsApp.
      const person = theirs?.isValid() && /^(MOBILE|FIXED_LINE)/.test(theirs.getType() ?? "");
      expect(Math.abs(ours)).toBe(theirs && person ? Number(theirs.number.slice(1)) : 0);
      expect(ours < 0).toBe(old && ours !== 0);
    }),
    { numRuns: 20_000 },
  );
});
