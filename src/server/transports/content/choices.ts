import { type Line, lines, listAt, parseJson, written } from "./lines.ts";
import { readNumber, textAt, valueAt } from "./own-values.ts";
import type { Said } from "./said.ts";
import { paymentLines, webAddress } from "./trade.ts";

/** Each card is a message inside the message. */
const CARDS_DEEP = 2;

const option = (text: Line): Line => text && `- ${text}`;

export function readPoll(poll: unknown): Said {
  const options = listAt(poll, "options").flatMap((one) => textAt(one, "optionName") ?? []);
  const question = textAt(poll, "name") ?? "";
  const said: Said = { kind: "poll", text: lines(question, ...options.map(option)) };
  return options.length === 0 ? said : { ...said, details: { poll: { question, options } } };
}

export function readPollResult(poll: unknown): Said {
  const votes = listAt(poll, "pollVotes").map((vote) => {
    const count = readNumber(valueAt(vote, "optionVoteCount")) ?? 0;
    return option(`${textAt(vote, "optionName") ?? ""}: ${count}`);
  });
  return { kind: "poll", text: lines(textAt(poll, "name"), ...votes) };
}

/** Unsealed by `sealed-votes.ts` and some gateways, which name the choice. */
export function readVote(update: unknown): Said {
  const named = valueAt(update, "vote", "selectedOptions");
  const chosen = listAt(named).filter((one) => typeof one === "string");
  const said: Said = { kind: "vote", text: lines(...chosen) };
  return Array.isArray(named) && chosen.length === named.length
    ? { ...said, details: { vote: { chosen } } }
    : said;
}

export function readListReply(reply: unknown): Said {
  const title = textAt(reply, "title") ?? textAt(reply, "singleSelectReply", "selectedRowId") ?? "";
  return { kind: "text", text: written(title, textAt(reply, "description")) };
}

export const readButtonReply = (reply: unknown): Said => ({
  kind: "text",
  text:
    textAt(reply, "selectedDisplayText") ??
    textAt(reply, "selectedButtonId") ??
    textAt(reply, "selectedId") ??
    "",
});

export function readInteractiveReply(reply: unknown): Said {
  const params = parseJson(textAt(reply, "nativeFlowResponseMessage", "paramsJson"));
  const words = textAt(reply, "body", "text") ?? textAt(params, "display_text") ?? textAt(params, "title");
  return { kind: "text", text: written(words ?? "", ...enteredLines(params, words === null)) };
}

const TECHNICAL = /^id$|_id$|token|version|^(display_text|title|wa_flow_response_params)$/i;

function enteredLines(params: unknown, idAlone: boolean): Line[] {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return [];
  const entered = Object.entries(params).flatMap(([name, value]) =>
    TECHNICAL.test(name) || !/^(string|number|boolean)$/.test(typeof value) ? [] : `${name}: ${value}`,
  );
  return entered.length === 0 && idAlone ? [textAt(params, "id")] : entered.slice(0, 100);
}

export function readButtons(message: unknown): Said {
  const buttons = listAt(message, "buttons").map((one) => option(textAt(one, "buttonText", "displayText")));
  return {
    kind: "other",
    text: lines(
      ...[textAt(message, "text"), textAt(message, "contentText"), textAt(message, "footerText")],
      ...buttons,
    ),
  };
}

export function readList(list: unknown): Said {
  const rows = listAt(list, "sections").flatMap((section) => [
    textAt(section, "title"),
    ...listAt(section, "rows").map((row) =>
      option([textAt(row, "title"), textAt(row, "description")].filter(Boolean).join(": ")),
    ),
  ]);
  return {
    kind: "other",
    text: lines(textAt(list, "title"), textAt(list, "description"), textAt(list, "footerText"), ...rows),
  };
}

export function readInteractive(message: unknown): Said {
  const buttons = buttonsOf(message);
  const pays = buttons.some(({ payment }) => payment.length > 0);
  return { kind: pays ? "payment" : "other", text: lines(...interactiveLines(message, CARDS_DEEP)) };
}

function interactiveLines(message: unknown, deep: number): Line[] {
  const cards = deep > 0 ? listAt(message, "carouselMessage", "cards") : [];
  return [
    textAt(message, "header", "title"),
    textAt(message, "header", "subtitle"),
    textAt(message, "body", "text"),
    textAt(message, "footer", "text"),
    ...buttonsOf(message).flatMap(({ said, payment }) => (payment.length > 0 ? payment : said)),
    ...cards.flatMap((card) => interactiveLines(card, deep - 1)),
  ];
}

type Button = { said: Line[]; payment: Line[] };

const buttonsOf = (message: unknown): Button[] =>
  listAt(message, "nativeFlowMessage", "buttons").map((button) => {
    const params = parseJson(textAt(button, "buttonParamsJson"));
    const label = textAt(params, "display_text") ?? textAt(params, "title");
    const leads =
      webAddress(textAt(params, "url")) ||
      textAt(params, "phone_number") ||
      textAt(params, "copy_code") ||
      null;
    const rows = listAt(params, "sections").flatMap((section) =>
      listAt(section, "rows").map((row) => option(textAt(row, "title"))),
    );
    return {
      said: [option([label, leads].filter(Boolean).join(": ")), ...rows],
      payment: paymentLines(params).filter(Boolean),
    };
  });

export function readTemplate(message: unknown): Said {
  const hydrated = valueAt(message, "hydratedTemplate") ?? valueAt(message, "hydratedFourRowTemplate");
  if (hydrated === undefined) {
    const interactive = valueAt(message, "interactiveMessageTemplate");
    if (interactive !== undefined) return readInteractive(interactive);
    return readStructured(valueAt(message, "fourRowTemplate", "content"));
  }
  const buttons = listAt(hydrated, "hydratedButtons").map((button) => {
    const [link, call] = [valueAt(button, "urlButton"), valueAt(button, "callButton")];
    const label = textAt(link ?? call ?? valueAt(button, "quickReplyButton"), "displayText");
    return option([label, textAt(link, "url") ?? textAt(call, "phoneNumber")].filter(Boolean).join(": "));
  });
  return {
    kind: "other",
    text: lines(
      textAt(hydrated, "hydratedTitleText"),
      textAt(hydrated, "hydratedContentText"),
      textAt(hydrated, "hydratedFooterText"),
      ...buttons,
    ),
  };
}

/** Legacy templates, filled in or as a pattern only. */
export function readStructured(message: unknown): Said {
  const filled = valueAt(message, "hydratedHsm");
  if (filled !== undefined && valueAt(filled, "fourRowTemplate") === undefined) return readTemplate(filled);
  const params = listAt(message, "params").filter((one) => typeof one === "string");
  return { kind: "other", text: lines(...params) };
}
