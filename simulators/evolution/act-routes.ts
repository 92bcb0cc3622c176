import { type Answer, created, invalid } from "./answers.ts";
import type { Gateway } from "./gateway.ts";
import { rowId, sentId } from "./identifiers.ts";
import type { MessageData, MessageKey } from "./message-store.ts";
import type { Request } from "./request.ts";
import { needOpen } from "./send-routes.ts";

type About = { id?: string; remoteJid?: string; fromMe?: boolean; participant?: string };

export async function sendReaction(gateway: Gateway, request: Request): Promise<Answer> {
  const { key, reaction } = request.body as { key?: About; reaction?: string };
  if (typeof reaction !== "string") throw invalid('instance requires property "reaction"');
  return act(gateway, request, needKey(key), (of) => ({ reactionMessage: { key: of, text: reaction } }));
}

export async function deleteMessageForEveryone(gateway: Gateway, request: Request): Promise<Answer> {
  const of = needKey(request.body as About);
  const answer = await act(gateway, request, of, (key) => ({ protocolMessage: { key, type: "REVOKE" } }));
  void gateway.webhooks.emit(request.instance, "messages.delete", { key: of, status: "DELETED" });
  return answer;
}

function needKey(key: About | undefined): MessageKey {
  const { id, remoteJid, fromMe } = key ?? {};
  if (id === undefined || remoteJid === undefined || fromMe === undefined)
    throw invalid('instance requires property "key"');
  return { ...key, id, remoteJid, fromMe };
}

async function act(
  gateway: Gateway,
  { instance }: Request,
  of: MessageKey,
  content: (key: MessageKey) => Record<string, unknown>,
): Promise<Answer> {
  await needOpen(gateway, instance);
  const message = content(of);
  const data: MessageData = {
    key: { remoteJid: of.remoteJid, fromMe: true, id: sentId() },
    pushName: "Você",
    status: "PENDING",
    message,
    messageType: Object.keys(message)[0] ?? "",
    messageTimestamp: Math.floor(gateway.clock.now() / 1000),
    instanceId: instance.id,
    source: "web",
  };
  gateway.acts.push(message);
  instance.messages.add({ rowId: rowId(), data, statuses: [] });
  void gateway.webhooks.emit(instance, "send.message", data);
  return created(data);
}
