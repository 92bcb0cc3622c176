import { setTimeout as pause } from "node:timers/promises";
import type { Evolution } from "../../simulators/evolution/evolution.ts";
import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import type { AgentAnswer, Chat } from "../../src/contract/chats.ts";
import type { Client } from "../support/client.ts";
import { INSTANCE } from "./evolution.ts";
import type { DemoPerson } from "./people.ts";
import { demoPicture } from "./picture.ts";

const LOOK_EVERY_MS = 100;
const WRITES_EVERY_MS = 45_000;

const QUESTIONS = [
  "Oi! Qual o horário de vocês?",
  "Onde fica a loja?",
  "Quanto custa trocar só as lentes?",
  "Adorei a loja nova, obrigada!",
];

type Device = { control: Control; number: string; connectionId: number };

export async function talkAtDevice(
  call: Client,
  device: Device,
  people: readonly DemoPerson[],
): Promise<void> {
  const { control, number, connectionId } = device;
  const [first, second, third] = people;
  if (!first || !second || !third) throw new Error("too few people");
  const write = (from: DemoPerson, text: string, picture: Record<string, string> = {}) =>
    control.write({ from: from.phone, to: number, text, ...picture });

  await write(first, "Oi! Posso buscar os óculos amanhã às 18h?");
  const chat = await chatWith(call, connectionId, first);
  await call("POST", `/api/chats/${chat.id}/messages`, {
    text: "Pode sim! Estamos abertos até as 19h. É só dizer o seu nome no balcão.",
  });
  await write(first, "Perfeito, obrigada!");

  await write(third, "SAIR");
  await until(async () => (await chatWith(call, connectionId, third)).optedOut);

  const picture = await demoPicture("spring");
  await write(second, "Vocês ainda têm esta armação?", {
    imageBase64: picture.toString("base64"),
    mimetype: "image/jpeg",
  });
  await until(async () => (await chatWith(call, connectionId, second)).unread > 0);
}

export async function talkAtInstance(
  call: Client,
  { world }: Evolution,
  connectionId: number,
  people: readonly DemoPerson[],
): Promise<void> {
  const [first, second] = people;
  if (!first || !second) throw new Error("too few people");
  const chats: Chat[] = [];
  for (const [person, text] of [
    [first, "Boa tarde! Vocês abrem no sábado?"],
    [second, "Quanto custa uma armação infantil?"],
  ] as const) {
    world.reply(INSTANCE, person.phone, text);
    chats.push(await chatWith(call, connectionId, person));
  }
  for (const { id } of chats)
    await until(async () => {
      const { answers } = await call<{ answers: AgentAnswer[] }>("GET", `/api/chats/${id}/answers`);
      return answers[0]?.state === "sent";
    });
  const more = "Sim, por favor. É para uma menina de 6 anos.";
  world.reply(INSTANCE, second.phone, more);
  await until(async () => (await chatWith(call, connectionId, second)).last.text === more);
  world.typedOnPhone(
    INSTANCE,
    second.phone,
    "Oi, aqui é a Marina! Temos a partir de R$ 149. Posso separar três modelos para você ver?",
  );
  await until(async () => (await chatWith(call, connectionId, second)).assistant.state === "paused");
}

export async function goOnWriting(
  { world }: Evolution,
  people: readonly DemoPerson[],
  signal: AbortSignal,
): Promise<void> {
  for (const [at, { phone }] of people.entries()) {
    await pause(WRITES_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    world.reply(INSTANCE, phone, QUESTIONS[at % QUESTIONS.length] ?? "");
  }
}

async function chatWith(call: Client, connectionId: number, { phone }: DemoPerson): Promise<Chat> {
  for (;;) {
    const { chats } = await call<{ chats: Chat[] }>("GET", `/api/chats?connectionId=${connectionId}`);
    const chat = chats.find((each) => each.phone === phone);
    if (chat) return chat;
    await pause(LOOK_EVERY_MS);
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(LOOK_EVERY_MS);
}
