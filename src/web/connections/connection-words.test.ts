import { expect, test } from "vitest";
import type { Connection } from "../../contract/connections.ts";
import { connectionsText } from "../messages/connections.ts";
import { connectionsText as english } from "../messages/en/connections.ts";
import { leavingText as englishLeaving } from "../messages/en/leaving.ts";
import { leavingText } from "../messages/leaving.ts";
import { newChatsNote, shownState } from "./connection-words.ts";

test("the number of the campaigns that wait is not left at a line's end, away from them", () => {
  expect(connectionsText.notes.waits(1)).toBe("1\u00a0campanha espera.");
  expect(connectionsText.notes.waits(12)).toBe("12\u00a0campanhas esperam.");
  expect(english.notes.waits(1)).toBe("1\u00a0campaign is waiting.");
});

test("26.17 a number that was never paired does not come back: it connects", () => {
  const label = (linked: boolean) =>
    shownState({ state: "connecting", cause: "network", linked } as Connection).label;
  expect(label(false)).toBe("Conectando");
  expect(label(true)).toBe("Reconectando");
});

test("26.11 the question before a connection is deleted names the campaigns that stop", () => {
  const some = { sending: 1, paused: 0, scheduled: 1, names: ["Natal", "Volta às aulas"] };
  expect(leavingText.pauses(some)).toBe(
    "1 campanha em andamento e 1 campanha agendada por este número param de enviar: «Natal» e «Volta às aulas». Quem já recebeu continua no histórico.",
  );
  const many = { sending: 7, paused: 0, scheduled: 0, names: ["A", "B", "C", "D", "E"] };
  expect(leavingText.pauses(many)).toContain("«D», «E» e mais 2. Quem");
  expect(englishLeaving.pauses(many)).toContain("“D”, “E” and 2 more. Those");
  expect(leavingText.pauses({ sending: 0, paused: 0, scheduled: 0, names: [] })).toBeNull();
});

test("what WhatsApp's quota leaves stands with its last day, and an unknown quota nowhere", () => {
  const note = (left: number | null) =>
    newChatsNote(
      { newChats: left === null ? null : { left, until: "2026-12-14T23:00:00Z" } } as Connection,
      "America/Sao_Paulo",
    );
  expect(note(37)).toBe("Restam 37 conversas novas até 14/12");
  expect(note(1)).toBe("Resta 1 conversa nova até 14/12");
  expect(note(0)).toBe("Nenhuma conversa nova até 14/12: o WhatsApp já contou todas as deste período");
  expect(note(null)).toBeNull();
  expect(english.notes.newChats(37, "14/12")).toBe("37 new conversations left until 14/12");
});
