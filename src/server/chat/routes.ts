import { chats } from "../../contract/chats.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { ChatService } from "./service.ts";

export function mountChats(app: App, service: ChatService): void {
  mount(app, chats.list, ({ owner, query }) => service.list(owner, query));
  mount(app, chats.open, ({ owner, body }) => service.open(owner, body.connectionId, body.phone));
  mount(app, chats.unread, ({ owner }) => service.unread(owner));
  mount(app, chats.get, ({ owner, params }) => service.get(owner, params.id));
  mount(app, chats.messages, ({ owner, params, query }) => service.messages(owner, params.id, query.older));
  mount(app, chats.send, ({ owner, params, body }) => service.send(owner, params.id, body));
  mount(app, chats.retry, ({ owner, params, body }) =>
    service.retry(owner, params.id, params.outboxId, body.evenSo),
  );
  mount(app, chats.forward, ({ owner, params, body }) => service.forward(owner, params.id, params.key, body));
  mount(app, chats.fetchFile, ({ owner, params }) => service.fetchFile(owner, params.id, params.messageId));
  mount(app, chats.cancelScheduled, ({ owner, params }) =>
    service.cancelScheduled(owner, params.id, params.outboxId),
  );
  mount(app, chats.react, ({ owner, params, body }) =>
    service.act(owner, params.id, params.key, { what: "react", emoji: body.emoji }),
  );
  mount(app, chats.deleteForEveryone, ({ owner, params }) =>
    service.act(owner, params.id, params.key, { what: "delete" }),
  );
  mount(app, chats.read, ({ owner, params, body }) => service.read(owner, params.id, body.upTo));
  mount(app, chats.update, ({ owner, params, body }) =>
    service.switchAssistant(owner, params.id, body.assistant),
  );
  mount(app, chats.answers, ({ owner, params }) => service.answers(owner, params.id));
}
