import type { Clock } from "../../domain/clock.ts";
import { leavingWith } from "../../domain/leaving.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import { intakeOf } from "../sending/sending.ts";
import type { Arrival, Place } from "./arrival.ts";
import type { Assistant } from "./assistant.ts";
import type { BroughtFile } from "./brought-file.ts";
import { deletes, storeDeletions } from "./deletions.ts";
import type { CleanMessage } from "./incoming.ts";
import { findLateLeaving } from "./late-opt-out.ts";
import { type Conversation, conversationsOf } from "./merge-chats.ts";
import { hasChat } from "./numbers.ts";
import { linkQuotes } from "./quotes.ts";
import { storeReactions } from "./reactions.ts";
import {
  addFile,
  editMessage,
  findNamed,
  findStored,
  holdChats,
  insertChats,
  insertMessages,
  mergeChats,
  nameChat,
  noteArrivals,
} from "./receive-repo.ts";
import { noteFile, noteFiles } from "./received-files.ts";
import { summariesOf } from "./summary.ts";

export type StoreDeps = {
  clock: Clock;
  secrets: Pick<Secrets, "seal">;
  messageKey: Uint8Array;
  /** Other connections of the same number, in the running transaction. */
  twinsOf(tx: Db, connectionId: number): Promise<number[]>;
  assistant: Assistant;
  /**
   * In the replies' transaction. A whole batch at once: its people decide which campaigns are locked, in
   * which order.
   */
  optOut(owner: Owner, ...replies: readonly (Leaving & { connectionId: number })[]): Promise<void>;
};

type Leaving = { phone: string; text: string; doubtful: boolean };

export type Received = {
  changed: Set<number>;
  texts: Arrival[];
  /** By WhatsApp's message id. */
  ids: Map<string, number>;
  /** New ones of ours. */
  own: string[];
  humans: Set<number>;
  filesComing: boolean;
};

type StoredArrivals = Omit<Received, "texts"> & { left: readonly Leaving[]; leftIn: readonly number[] };

const NOTHING: Received & StoredArrivals = {
  changed: new Set(),
  texts: [],
  ids: new Map(),
  own: [],
  humans: new Set(),
  filesComing: false,
  left: [],
  leftIn: [],
};

/** Runs in a transaction; `brought` by WhatsApp's id. */
export async function storeMessages(
  deps: StoreDeps,
  owner: Owner,
  place: Place,
  messages: readonly CleanMessage[],
  brought: ReadonlyMap<string, BroughtFile>,
): Promise<Received> {
  const tx = owner.db;
  const connection = await holdChats(tx, place);
  if (!connection) return NOTHING;
  const { ownPhone } = connection;
  const here = { ...place, ownPhone };
  const named = await nameAll(owner, place, messages, ownPhone);
  const others = await withoutOwn(deps, owner, place, named);
  if (others.length === 0) return NOTHING;
  const conversations = conversationsOf(await findNamed(tx, place, others), others).filter(
    ({ keep, messages: all }) => keep !== null || all.some((one) => one.fromMe || !deletes(one)),
  );
  const late = await findLateLeaving(tx, conversations);
  const settled = await settleChats(deps, tx, place, conversations);
  const all = arrivalsOf(settled, brought);
  const arrivals = all.filter(({ message }) => !deletes(message));
  const plain = arrivals.filter((arrival) => !isEdit(arrival));
  const first = await storeArrivals(deps, owner, here, plain.filter(isNoReaction));
  // Both may arrive in one batch.
  const reactions = await storeReactions(owner, place, deps.messageKey, plain);
  await noteFresh(deps, owner, place, reactions.shown);
  const edited = await storeEdits(tx, arrivals.filter(isEdit));
  const { corrected } = edited;
  const strays = [...edited.strays, ...reactions.strays];
  const second = await storeArrivals(deps, owner, here, strays);
  const deleted = await storeDeletions(owner, place, deps.messageKey, all);
  await optOutLeaving(deps, owner, place, { first, second, corrected, late });
  // Last: ledger locks come before these rows.
  await intakeOf(owner, place.connectionId).noteTalks(
    arrivals.flatMap(({ message }) => (isDirect(message) || answers(message) ? talkOf(message) : [])),
  );
  const merged = settled.flatMap(([{ merge }, chatId]) => (merge.length > 0 ? chatId : []));
  const rewritten = [...corrected.map(({ chatId }) => chatId), ...deleted];
  return {
    changed: new Set([...merged, ...first.changed, ...second.changed, ...reactions.changed, ...rewritten]),
    ids: new Map([...first.ids, ...second.ids]),
    own: [...first.own, ...second.own],
    humans: new Set([...first.humans, ...second.humans]),
    filesComing: first.filesComing || second.filesComing,
    texts: [...plain, ...strays].filter(({ message }) => isForAssistant(message)),
  };
}

function arrivalsOf(
  settled: readonly (readonly [Conversation, number])[],
  brought: ReadonlyMap<string, BroughtFile>,
): Arrival[] {
  return settled.flatMap(([{ names, messages }, chatId]) =>
    messages.map((one) => ({
      chatId,
      message: { ...one, names },
      brought: brought.get(one.providerId) ?? null,
    })),
  );
}

/** Strays: edits of messages that are not stored. */
async function storeEdits(
  tx: Db,
  edits: readonly Arrival[],
): Promise<{ corrected: Arrival[]; strays: Arrival[] }> {
  const corrected: Arrival[] = [];
  const strays: Arrival[] = [];
  for (const edit of edits) {
    const end = await editMessage(tx, edit.chatId, edit.message);
    if (end === "changed") corrected.push(edit);
    if (end === "missing") strays.push(edit);
  }
  return { corrected, strays };
}

type Stored = {
  first: StoredArrivals;
  second: StoredArrivals;
  corrected: readonly Arrival[];
  late: Awaited<ReturnType<typeof findLateLeaving>>;
};

async function optOutLeaving(
  { optOut, assistant }: StoreDeps,
  owner: Owner,
  { connectionId }: Place,
  { first, second, corrected, late }: Stored,
): Promise<void> {
  const rewritten = corrected.flatMap(({ message }) => leaving(message));
  const left = [...first.left, ...second.left, ...late, ...rewritten];
  await optOut(owner, ...left.map((one) => ({ ...one, connectionId })));
  // A queued answer would follow the opt-out confirmation.
  const leftIn = new Set([...first.leftIn, ...second.leftIn, ...chatsLeft(corrected)]);
  await assistant.onLeft(owner, [...[...leftIn].map((chatId) => ({ chatId })), ...late]);
}

async function storeArrivals(
  deps: StoreDeps,
  owner: Owner,
  place: Place & { ownPhone: string | null },
  arrivals: readonly Arrival[],
): Promise<StoredArrivals> {
  if (arrivals.length === 0) return NOTHING;
  const tx = owner.db;
  const changed = new Set<number>();
  const fresh = await insertMessages(tx, place, arrivals, place.ownPhone);
  const isFresh = ({ message }: Arrival) => fresh.has(message.providerId);
  const known = arrivals.filter((arrival) => !isFresh(arrival));
  const stored = await findStored(
    tx,
    place,
    known.map(({ message }) => message.providerId),
  );
  for (const { chatId, message, brought } of known) {
    const row = stored.get(message.providerId);
    const attachmentId = brought?.attachmentId ?? null;
    if (row && attachmentId !== null && (await addFile(tx, row.id, { chatId, message, attachmentId }))) {
      await noteFile(owner, row.id, "here", deps.clock.now());
      changed.add(chatId);
    }
  }
  const filesComing = await noteFiles(deps, owner, place, arrivals.filter(isFresh), fresh);
  const arrived = arrivals.filter(isFresh);
  await linkQuotes(owner, place, deps.messageKey, arrived);
  const humans = await noteFresh(deps, owner, place, arrived);
  const wrote = arrived.flatMap(({ message }) => (isDirect(message) ? (message.names.phone ?? []) : []));
  await intakeOf(owner, place.connectionId).forgetAbsence(wrote);
  for (const { chatId } of arrived) changed.add(chatId);
  const own = arrived.flatMap(({ message }) => (message.fromMe ? message.providerId : []));
  const ids = new Map([...fresh, ...[...stored].map(([id, row]) => [id, row.id] as const)]);
  const left = arrived.flatMap(({ message }) => leaving(message));
  return { changed, ids, own, humans, filesComing, left, leftIn: chatsLeft(arrived) };
}

const isNoReaction = ({ message }: Arrival) => message.kind !== "reaction";

const isEdit = ({ message }: Arrival) => message.edits !== null;

/** Our own number beside a hidden address names the writer, not the recipient. */
async function nameAll(
  owner: Owner,
  { connectionId }: Place,
  messages: readonly CleanMessage[],
  ownPhone: string | null,
): Promise<CleanMessage[]> {
  const cleaned = messages.map((message) => {
    const { names, fromMe } = message;
    const isOurs = fromMe && names.lid !== null && names.phone !== null && names.phone === ownPhone;
    return isOurs ? { ...message, names: { phone: null, jid: null, lid: names.lid } } : message;
  });
  const people = cleaned.filter(({ kindOfChat }) => kindOfChat === "person");
  const addresses = new Set(people.flatMap(({ names }) => addressOf(names) ?? []));
  const answers = await intakeOf(owner, connectionId).findNames([...addresses], hasChat(connectionId));
  const phoneOf = new Map(answers.flatMap((one) => [[one.jid, one] as const, [one.lid ?? "", one] as const]));
  return cleaned.map((message) => {
    const { names, kindOfChat } = message;
    const known = kindOfChat === "person" ? phoneOf.get(addressOf(names) ?? "") : undefined;
    // A number looked up itself stays.
    if (!known || answers.some(({ phone, jid }) => phone === names.phone && jid === names.jid))
      return message;
    return { ...message, names: { phone: known.phone, jid: known.jid, lid: names.lid } };
  });
}

const addressOf = ({ phone, jid, lid }: CleanMessage["names"]) => (phone === null ? lid : jid);

async function withoutOwn(
  { messageKey, twinsOf }: StoreDeps,
  owner: Owner,
  { connectionId }: Place,
  messages: readonly CleanMessage[],
): Promise<CleanMessage[]> {
  const ours = messages.filter(({ fromMe }) => fromMe);
  if (ours.length === 0) return [...messages];
  const intake = intakeOf(owner, connectionId);
  const own = await intake.findOwnIds(
    messageKey,
    ours.map(({ providerId }) => providerId),
  );
  const echoes = ours
    .filter(({ viaApi, providerId }) => viaApi && !own.has(providerId))
    .map(({ names, text, providerId }) => ({ ...names, text, providerId }));
  for (const { providerId } of await intake.findOwnOutgoing(echoes)) own.add(providerId);
  const others = messages.filter(({ providerId, fromMe }) => !(fromMe && own.has(providerId)));
  const typed = others.filter(isHuman).map(({ providerId }) => providerId);
  const twins = typed.length === 0 ? [] : await twinsOf(owner.db, connectionId);
  const theirs = await intake.findTwinIds(messageKey, typed, twins);
  return others.map((one) => (one.fromMe && theirs.has(one.providerId) ? { ...one, viaApi: true } : one));
}

/** Answers the chats' ids. */
export async function settleChats(
  { assistant }: Pick<StoreDeps, "assistant">,
  tx: Db,
  place: Place,
  conversations: readonly Conversation[],
): Promise<[Conversation, number][]> {
  const fresh = conversations.filter(({ keep }) => keep === null);
  const ids = await insertChats(tx, place, fresh);
  const settled: [Conversation, number][] = fresh.map((conversation, i) => [conversation, ids[i] ?? 0]);
  for (const conversation of conversations) {
    const { keep, merge, names } = conversation;
    if (keep === null) continue;
    for (const { id } of merge) await assistant.chatMerged(tx, id, keep.id);
    if (merge.length > 0)
      await mergeChats(
        tx,
        merge.map(({ id }) => id),
        keep.id,
      );
    const renamed = keep.phone !== names.phone || keep.jid !== names.jid || keep.lid !== names.lid;
    if (renamed) await nameChat(tx, keep.id, conversation);
    settled.push([conversation, keep.id]);
  }
  return settled;
}

/** Answers chats with a phone answer. */
async function noteFresh(
  { assistant, clock }: StoreDeps,
  owner: Owner,
  { connectionId }: Place,
  fresh: readonly Arrival[],
): Promise<Set<number>> {
  const answered = fresh.filter(({ message }) => isHuman(message));
  const link = answered.length > 0 ? await assistant.linkedTo(owner, connectionId) : null;
  await noteArrivals(owner.db, summariesOf(fresh, isHuman, link?.pauseMinutes ?? null, clock.now()));
  return new Set(link === null ? [] : answered.map(({ chatId }) => chatId));
}

/** A gateway program's message proves no person. */
const isHuman = ({ fromMe, viaApi, kind }: CleanMessage) => fromMe && !viaApi && kind !== "reaction";

const isDirect = ({ fromMe, kindOfChat }: CleanMessage) => !fromMe && kindOfChat === "person";

const answers = (message: CleanMessage) => isHuman(message) && message.kindOfChat === "person";

const talkOf = ({ names, at, fromMe }: CleanMessage) => ({
  names: [names.phone, names.lid],
  at,
  answered: fromMe,
});

const leaves = (message: CleanMessage) => isDirect(message) && leavingWith(message) !== "no";

function leaving(message: CleanMessage): Leaving[] {
  const { names, text } = message;
  if (!leaves(message) || names.phone === null) return [];
  return [{ phone: names.phone, text, doubtful: leavingWith(message) === "maybe" }];
}

const chatsLeft = (arrivals: readonly Arrival[]) =>
  arrivals.flatMap(({ chatId, message }) => (leaves(message) ? chatId : []));

const isForAssistant = (message: CleanMessage) =>
  isDirect(message) && !message.toMany && message.kind === "text" && message.text !== "" && !leaves(message);
