import { proto, type WAMessage } from "baileys";
import fc from "fast-check";
import { expect, test } from "vitest";
import { message as fromGateway } from "../../../../tests/support/webhook-bodies.ts";
import { leavingWith } from "../../../domain/leaving.ts";
import { readIncoming } from "../device/incoming-message.ts";
import { DECIDED } from "./decided.ts";
import { readContent } from "./message-content.ts";

const ME = { id: "5511900000001:7@s.whatsapp.net" };
const KEY = { id: "3A01", remoteJid: "5511911110001@s.whatsapp.net", fromMe: false };

function fromDevice(content: object) {
  const message = proto.Message.decode(proto.Message.encode(proto.Message.fromObject(content)).finish());
  return readIncoming({ key: KEY, messageTimestamp: 1_795_690_778, message } as WAMessage, null, ME);
}

const card = (name: string, ...fields: string[]) => ({
  displayName: name,
  vcard: ["BEGIN:VCARD", "VERSION:3.0", `FN:${name}`, ...fields, "END:VCARD"].join("\n"),
});
const waid = (digits: string, written: string) => `TEL;type=CELL;waid=${digits}:${written}`;
const button = (name: string, params: object) => ({ name, buttonParamsJson: JSON.stringify(params) });
const long = (low: number) => ({ low, high: 0, unsigned: false });
const pix = {
  currency: "BRL",
  total_amount: { value: 0, offset: 100 },
  type: "physical-goods",
  payment_settings: [
    {
      type: "pix_static_code",
      pix_static_code: { merchant_name: "Loja Mar", key: "pix@mar.exemplo.com.br", key_type: "EMAIL" },
    },
  ],
};
const bill = {
  currency: "BRL",
  total_amount: { value: 5990, offset: 100 },
  order: { items: [{ name: "Lente", quantity: 2, amount: { value: 2995, offset: 100 } }] },
};

type Case = [title: string, content: object, kind: string, text: string];

const CASES: Case[] = [
  [
    "CH01 an order with its note",
    {
      orderMessage: {
        itemCount: 2,
        message: "Pode entregar amanhã?",
        orderTitle: "Ótica Mar",
        totalAmount1000: long(189_900),
        totalCurrencyCode: "BRL",
      },
    },
    "order",
    "Pode entregar amanhã?\nÓtica Mar\n2 itens · R$ 189,90",
  ],
  [
    "CH02 a question about a product is the person's own text",
    {
      productMessage: {
        product: { title: "Armação Lua", currencyCode: "BRL", priceAmount1000: long(189_000) },
        body: "Tem na cor azul?",
      },
    },
    "text",
    "Tem na cor azul?\nArmação Lua · R$ 189,00",
  ],
  ["CH02 a product alone", { productMessage: { product: { title: "Stop" } } }, "product", "Stop"],
  [
    "CH02 a question that answers a product",
    {
      extendedTextMessage: {
        text: "Tem em azul?",
        contextInfo: {
          stanzaId: "3A00",
          quotedMessage: { productMessage: { product: { title: "Armação Lua" } } },
        },
      },
    },
    "text",
    "Tem em azul?\nArmação Lua",
  ],
  [
    "CH03 a place without a name",
    { locationMessage: { degreesLatitude: -19.9386, degreesLongitude: -43.9352 } },
    "location",
    "https://maps.google.com/?q=-19.9386,-43.9352",
  ],
  [
    "CH03 a place with name and address",
    {
      locationMessage: {
        degreesLatitude: 1.5,
        degreesLongitude: 2,
        name: "Praça",
        address: "Rua das Flores",
      },
    },
    "location",
    "Praça\nRua das Flores\nhttps://maps.google.com/?q=1.5,2",
  ],
  [
    "CH04 a place that moves",
    { liveLocationMessage: { degreesLatitude: 1.5, degreesLongitude: 2, caption: "a caminho" } },
    "location",
    "a caminho\nhttps://maps.google.com/?q=1.5,2",
  ],
  [
    "CH05 a contact card with its number",
    { contactMessage: card("Dr. Otávio (oftalmo)", waid("5531988560099", "+55 31 98856-0099")) },
    "contact",
    "Dr. Otávio (oftalmo): +55 31 98856-0099",
  ],
  [
    "CH05 every number of a card, the ninth digit added, folded lines and e-mail",
    {
      contactMessage: card(
        "Bia",
        "item1.TEL;waid=553188560098:+55 31 8856-0098",
        "TEL:3322-\r\n 1100",
        "TEL;VALUE=uri:tel:+351912345678",
        "EMAIL;type=WORK:bia@exemplo.com.br",
      ),
    },
    "contact",
    "Bia: +55 31 98856-0098, +351 912 345 678, 3322-1100, bia@exemplo.com.br",
  ],
  [
    "CH06 all cards of several",
    {
      contactsArrayMessage: {
        displayName: "2 contatos",
        contacts: [
          card("Ana", waid("5531988560097", "+55 31 98856-0097")),
          card("Bia", waid("5531988560098", "+55 31 98856-0098")),
        ],
      },
    },
    "contact",
    "Ana: +55 31 98856-0097\nBia: +55 31 98856-0098",
  ],
  [
    "CH07 an invitation to a group",
    { groupInviteMessage: { groupName: "Clientes VIP", inviteCode: "Abc-123", caption: "Entra aí" } },
    "invite",
    "Entra aí\nClientes VIP\nhttps://chat.whatsapp.com/Abc-123",
  ],
  [
    "CH08 a link on a button, and its text",
    {
      interactiveMessage: {
        header: { title: "Novidades" },
        body: { text: "Chegou a coleção" },
        nativeFlowMessage: {
          buttons: [
            button("cta_url", { display_text: "Ver", url: "https://loja.exemplo.com.br" }),
            button("quick_reply", { display_text: "Agora não" }),
          ],
        },
      },
    },
    "other",
    "Novidades\nChegou a coleção\n- Ver: https://loja.exemplo.com.br\n- Agora não",
  ],
  [
    "CH09 a Pix key and whose it is",
    { interactiveMessage: { nativeFlowMessage: { buttons: [button("payment_info", pix)] } } },
    "payment",
    "Loja Mar\nChave Pix: pix@mar.exemplo.com.br",
  ],
  [
    "CH09 a bill",
    {
      interactiveMessage: {
        body: { text: "Seu pedido" },
        nativeFlowMessage: { buttons: [button("review_and_pay", bill)] },
      },
    },
    "payment",
    "Seu pedido\n2 × Lente · R$ 29,95\nR$ 59,90",
  ],
  [
    "CH10 a poll and its options",
    {
      pollCreationMessageV3: { name: "Quando?", options: [{ optionName: "Hoje" }, { optionName: "Sexta" }] },
    },
    "poll",
    "Quando?\n- Hoje\n- Sexta",
  ],
  ["CH11 a message with nothing in it", {}, "other", ""],
  ["CH11 a kind of which only what stands beside it is read", { messageContextInfo: {} }, "other", ""],
  ["CH11 a text without words", { extendedTextMessage: { text: "" } }, "other", ""],
  [
    "CH12 a text in which a group is mentioned",
    { groupMentionedMessage: { message: { extendedTextMessage: { text: "Reunião às 18h @Turma" } } } },
    "text",
    "Reunião às 18h @Turma",
  ],
  [
    "CH13 an event: name, time, place",
    {
      eventMessage: {
        name: "Inauguração da loja",
        description: "Sábado com café",
        isCanceled: false,
        location: { name: "Rua das Flores, 10" },
        startTime: long(1_795_000_000),
      },
    },
    "event",
    "Inauguração da loja\n18/11/2026 às 08:06 (horário de Brasília)\nRua das Flores, 10\nSábado com café",
  ],
  [
    "a choice of a list",
    {
      listResponseMessage: {
        title: "Centro",
        description: "Rua 1",
        singleSelectReply: { selectedRowId: "a" },
      },
    },
    "text",
    "Centro\nRua 1",
  ],
  ["a button without words", { buttonsResponseMessage: { selectedButtonId: "sim" } }, "text", "sim"],
  [
    "a form that was filled in",
    {
      interactiveResponseMessage: {
        body: { text: "Enviado" },
        nativeFlowResponseMessage: {
          name: "flow",
          paramsJson: '{"flow_token":"x","nome":"Ana","retirar":true}',
        },
      },
    },
    "text",
    "Enviado\nnome: Ana\nretirar: true",
  ],
  [
    "a list to choose from",
    {
      listMessage: {
        title: "Lojas",
        description: "Qual?",
        sections: [{ title: "Sul", rows: [{ title: "Centro", description: "Rua 1" }] }],
      },
    },
    "other",
    "Lojas\nQual?\nSul\n- Centro: Rua 1",
  ],
  [
    "a template with buttons",
    {
      templateMessage: {
        hydratedTemplate: {
          hydratedContentText: "Oi",
          hydratedButtons: [{ urlButton: { displayText: "Site", url: "https://a.exemplo" } }],
        },
      },
    },
    "other",
    "Oi\n- Site: https://a.exemplo",
  ],
  [
    "a payment that is asked for",
    {
      requestPaymentMessage: {
        currencyCodeIso4217: "BRL",
        amount1000: long(25_000),
        noteMessage: { extendedTextMessage: { text: "Sinal" } },
      },
    },
    "payment",
    "Sinal\nR$ 25,00",
  ],
  [
    "a payment",
    { sendPaymentMessage: { noteMessage: { extendedTextMessage: { text: "Pago" } } } },
    "payment",
    "Pago",
  ],
  [
    "an invitation to a channel",
    { newsletterAdminInviteMessage: { newsletterName: "Dicas" } },
    "invite",
    "Dicas",
  ],
  ["stickers", { stickerPackMessage: { name: "Gatos" } }, "sticker", "Gatos"],
  ["an answer to a question", { questionResponseMessage: { text: "Azul" } }, "text", "Azul"],
  ["a comment", { commentMessage: { message: { conversation: "Bom" } } }, "text", "Bom"],
  [
    "a picture in a later envelope",
    { questionMessage: { message: { imageMessage: { caption: "Qual?" } } } },
    "image",
    "Qual?",
  ],
  ["a status that mentions us", { statusMentionMessage: { message: { protocolMessage: {} } } }, "other", ""],
  ["a call", { callLogMesssage: { isVideo: true } }, "other", "Chamada de vídeo"],
];

test.each(CASES)("%s, through a device and through a gateway", (_title, content, kind, text) => {
  expect(fromDevice(content)).toMatchObject({ kind, text });
  expect(fromGateway(content)).toMatchObject({ kind, text });
});

test("CH10 a vote that a gateway has opened names what was chosen; a sealed one that it came", () => {
  const vote = { pollUpdateMessage: { vote: { selectedOptions: ["Hoje"] } } };
  expect(fromGateway(vote)).toMatchObject({ kind: "vote", text: "Hoje" });
  const sealed = { pollCreationMessageKey: { id: "3A00" }, vote: { encPayload: "eA==" } };
  for (const read of [fromDevice, fromGateway])
    expect(read({ pollUpdateMessage: sealed })).toMatchObject({ kind: "vote", text: "", quotedId: "3A00" });
});

test("an opt-out word counts inside a product question, choice or form, and never as a name", () => {
  const leaves = (content: object) => {
    const said = readContent(content, null);
    return said !== null && leavingWith(said) !== "no";
  };
  expect(leaves({ productMessage: { product: { title: "Armação" }, body: "SAIR" } })).toBe(true);
  expect(leaves({ listResponseMessage: { title: "Sair", description: "da lista" } })).toBe(true);
  const form = { paramsJson: '{"motivo":"caro"}' };
  expect(
    leaves({ interactiveResponseMessage: { body: { text: "Sair" }, nativeFlowResponseMessage: form } }),
  ).toBe(true);
  for (const content of [
    { productMessage: { product: { title: "Stop" } } },
    { contactMessage: { displayName: "Stop" } },
    { locationMessage: { name: "Stop" } },
    { orderMessage: { orderTitle: "Stop" } },
    { groupInviteMessage: { groupName: "Sair" } },
    { pollCreationMessage: { name: "Cancelar" } },
    { eventMessage: { name: "Parar" } },
  ])
    expect([content, leaves(content)]).toEqual([content, false]);
});

test("whatever stands in a field, every reader answers with a text", () => {
  const names = Object.keys(DECIDED).filter((name) => typeof DECIDED[name] === "function");
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
      expect(typeof (readContent({ [name]: value }, null)?.text ?? "")).toBe("string");
    }),
    { numRuns: 2_000 },
  );
});

test("a card or a list of a stranger's program, as long as it likes, is read at once", () => {
  const vcard = `BEGIN:VCARD\n${"TEL;".repeat(100_000)}\n ${":".repeat(400_000)}`;
  expect(readContent({ contactMessage: { displayName: "Ana", vcard } }, null)?.text).toBe("Ana");
  const options = Array.from({ length: 100_000 }, (_, at) => ({ optionName: `${at}` }));
  expect(readContent({ pollCreationMessage: { name: "?", options } }, null)?.text.split("\n")).toHaveLength(
    201,
  );
});

test("an address comes with what WhatsApp showed its writer; a title without an address, or no title, is none", () => {
  const link = (part: object) =>
    readContent({ extendedTextMessage: { text: "Veja", ...part } }, null)?.details;
  const about = { title: "Armações", description: "Novas" };
  expect(link({ ...about, matchedText: "https://otica.example/novas" })).toEqual({
    link: { url: "https://otica.example/novas", ...about },
  });
  expect(link({ title: "Ótica", matchedText: "otica.example" })).toEqual({
    link: { url: "https://otica.example/", title: "Ótica", description: "" },
  });
  for (const matchedText of ["javascript:alert(1)", "data:text/html,x", "", "https://"])
    expect(link({ ...about, matchedText })).toBeUndefined();
  expect(link({ matchedText: "https://otica.example" })).toBeUndefined();
});

test("a poll comes with its options, and an opened vote with its choices", () => {
  const options = [{ optionName: "Hoje" }, { optionName: "Sexta" }];
  expect(readContent({ pollCreationMessage: { name: "Quando?", options } }, null)?.details).toEqual({
    poll: { question: "Quando?", options: ["Hoje", "Sexta"] },
  });
  const vote = (selectedOptions: unknown) =>
    readContent({ pollUpdateMessage: { vote: { selectedOptions } } }, null)?.details;
  expect(vote(["Hoje"])).toEqual({ vote: { chosen: ["Hoje"] } });
  expect(vote([])).toEqual({ vote: { chosen: [] } });
  expect(vote([Buffer.from("x")])).toBeUndefined();
});

test("cards come with each number to call, a place with where it is", () => {
  const bia = card(
    "Bia",
    waid("553188560098", "+55 31 8856-0098"),
    "TEL:(31) 98856-0097",
    "TEL:3322-1100",
    "TEL:tel:+351912345678",
    "EMAIL:bia@exemplo.com.br",
  );
  const phones = ["5531988560098", "5531988560097", "351912345678"];
  const contacts = [{ name: "Bia", phones, others: ["3322-1100", "bia@exemplo.com.br"] }];
  for (const content of [{ contactMessage: bia }, { contactsArrayMessage: { contacts: [bia] } }]) {
    expect(fromDevice(content)?.details).toEqual({ contacts });
    expect(fromGateway(content)?.details).toEqual({ contacts });
  }
  const at = { degreesLatitude: -19.9386, degreesLongitude: -43.9352 };
  for (const content of [{ locationMessage: at }, { liveLocationMessage: at }])
    expect(fromGateway(content)?.details).toEqual({ place: { latitude: -19.9386, longitude: -43.9352 } });
  expect(fromGateway({ locationMessage: { ...at, degreesLatitude: 91 } })?.details).toBeUndefined();
});
