import { agents, assistants } from "../../contract/agents.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { AnswersService } from "./answers.ts";
import type { LinkService } from "./links.ts";
import type { AgentService } from "./service.ts";
import type { MistralSettingsService } from "./settings.ts";

type Services = {
  settings: MistralSettingsService;
  agents: AgentService;
  links: LinkService;
  answers: AnswersService;
};

export function mountAgents(app: App, { settings, agents: service, links, answers }: Services): void {
  mount(app, agents.list, ({ owner }) => service.list(owner));
  mount(app, agents.create, ({ owner, body }) => service.create(owner, body));
  mount(app, agents.get, ({ owner, params }) => service.get(owner, params.agentId));
  mount(app, agents.update, ({ owner, params, body }) => service.update(owner, params.agentId, body));
  mount(app, agents.remove, ({ owner, params }) => service.remove(owner, params.agentId));
  mount(app, agents.test, ({ owner, params, body }) => service.test(owner, params.agentId, body));
  mount(app, agents.models, ({ owner }) => service.models(owner));
  mount(app, agents.settings, ({ owner }) => settings.show(owner));
  mount(app, agents.saveSettings, ({ owner, body }) => settings.save(owner, body));
  mount(app, agents.removeSettings, ({ owner }) => settings.remove(owner));
  mount(app, assistants.list, ({ owner }) => links.list(owner));
  mount(app, assistants.link, ({ owner, params, body }) => links.link(owner, params.id, body.agentId));
  mount(app, assistants.update, ({ owner, params, body }) => links.update(owner, params.id, body));
  mount(app, assistants.restore, ({ owner, params, body }) => links.restore(owner, params.id, body.undo));
  mount(app, assistants.unlink, ({ owner, params }) => links.unlink(owner, params.id));
  mount(app, assistants.answers, ({ owner, params, query }) =>
    answers.ofConnection(owner, params.id, query.cursor),
  );
}
