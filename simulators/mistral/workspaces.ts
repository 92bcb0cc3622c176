export type StoredAgent = {
  object: "agent";
  id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  model: string;
  tools: unknown[];
  completion_args: Record<string, unknown>;
  handoffs: string[] | null;
  metadata: Record<string, unknown> | null;
  version: number;
  versions: number[];
  created_at: string;
  updated_at: string;
  deployment_chat: boolean;
  source: string;
  version_message: string | null;
};

export type AgentFields = Partial<
  Pick<
    StoredAgent,
    "name" | "description" | "instructions" | "model" | "tools" | "completion_args" | "handoffs" | "metadata"
  >
>;

export type Workspace = ReturnType<typeof openWorkspace>;

type Source = { now: () => Date; random: () => number };

export function openWorkspaces(source: Source) {
  const opened = new Map<string, Workspace>();
  return {
    of(key: string): Workspace {
      const workspace = opened.get(key) ?? openWorkspace(source);
      opened.set(key, workspace);
      return workspace;
    },
    clear: () => opened.clear(),
  };
}

function openWorkspace({ now, random }: Source) {
  const agents = new Map<string, StoredAgent>();
  return {
    list: (): StoredAgent[] => [...agents.values()].reverse(),
    get: (id: string): StoredAgent | null => agents.get(id) ?? null,
    remove: (id: string): boolean => agents.delete(id),
    create(fields: AgentFields & { name: string; model: string }): StoredAgent {
      const at = now().toISOString();
      const agent: StoredAgent = {
        object: "agent",
        id: `ag_${hex(random, 32)}`,
        description: null,
        instructions: null,
        handoffs: null,
        metadata: null,
        version_message: null,
        tools: [],
        completion_args: {},
        deployment_chat: false,
        source: "api",
        version: 0,
        versions: [0],
        created_at: at,
        updated_at: at,
        ...fields,
      };
      agents.set(agent.id, agent);
      return agent;
    },
    update(agent: StoredAgent, fields: AgentFields): StoredAgent {
      const version = agent.version + 1;
      const versions = [...agent.versions, version];
      Object.assign(agent, fields, { version, versions, updated_at: now().toISOString() });
      return agent;
    },
  };
}

export function hex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}
