import { deleteMessageForEveryone, sendReaction } from "./act-routes.ts";
import type { Answer } from "./answers.ts";
import type { CallName } from "./calls.ts";
import {
  evolutionInbound,
  fetchProfilePictureUrl,
  findChats,
  findContacts,
  findMessages,
  findStatusMessage,
  getBase64FromMediaMessage,
  sendPresence,
  whatsappNumbers,
} from "./chat-routes.ts";
import type { Gateway } from "./gateway.ts";
import {
  connect,
  connectionState,
  create,
  fetchInstances,
  logout,
  remove,
  restart,
  root,
  settingsFind,
  verifyCreds,
} from "./instance-routes.ts";
import type { PlainRequest, Request } from "./request.ts";
import { sendMedia, sendText, sendWhatsAppAudio } from "./send-routes.ts";
import { webhookFind, webhookSet } from "./webhook-routes.ts";

type Result = Answer | Promise<Answer>;
export type PlainCall = { call: CallName; run(gateway: Gateway, request: PlainRequest): Result };
export type InstanceCall = { call: CallName; run(gateway: Gateway, request: Request): Result };

export const PLAIN_CALLS: Record<string, PlainCall> = {
  "GET /": { call: "root", run: root },
  "POST /verify-creds": { call: "verifyCreds", run: verifyCreds },
  "GET /instance/fetchInstances": { call: "fetchInstances", run: fetchInstances },
  "POST /instance/create": { call: "create", run: create },
  "POST /webhook/evolution": { call: "evolutionInbound", run: evolutionInbound },
};

export const INSTANCE_CALLS: Record<string, InstanceCall> = {
  "GET /instance/connect": { call: "connect", run: connect },
  "GET /instance/connectionState": { call: "connectionState", run: connectionState },
  "POST /instance/restart": { call: "restart", run: restart },
  "DELETE /instance/logout": { call: "logout", run: logout },
  "DELETE /instance/delete": { call: "delete", run: remove },
  "POST /webhook/set": { call: "webhookSet", run: webhookSet },
  "GET /webhook/find": { call: "webhookFind", run: webhookFind },
  "GET /settings/find": { call: "settingsFind", run: settingsFind },
  "POST /message/sendText": { call: "sendText", run: sendText },
  "POST /message/sendReaction": { call: "sendReaction", run: sendReaction },
  "DELETE /chat/deleteMessageForEveryone": {
    call: "deleteMessageForEveryone",
    run: deleteMessageForEveryone,
  },
  "POST /message/sendMedia": { call: "sendMedia", run: sendMedia },
  "POST /message/sendWhatsAppAudio": { call: "sendMedia", run: sendWhatsAppAudio },
  "POST /chat/whatsappNumbers": { call: "whatsappNumbers", run: whatsappNumbers },
  "POST /chat/findMessages": { call: "findMessages", run: findMessages },
  "POST /chat/getBase64FromMediaMessage": {
    call: "getBase64FromMediaMessage",
    run: getBase64FromMediaMessage,
  },
  "POST /chat/findStatusMessage": { call: "findStatusMessage", run: findStatusMessage },
  "POST /chat/findChats": { call: "findChats", run: findChats },
  "POST /chat/findContacts": { call: "findContacts", run: findContacts },
  "POST /chat/sendPresence": { call: "sendPresence", run: sendPresence },
  "POST /chat/fetchProfilePictureUrl": { call: "fetchProfilePictureUrl", run: fetchProfilePictureUrl },
};
