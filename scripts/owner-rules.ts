/** The folder of `src/server` that alone writes a table; others call its functions with the running transaction. */
export const OWNERS: Readonly<Record<string, string>> = {
  account: "accounts",
  account_limit: "db",
  agent_answer: "agents",
  agent_calls: "agents",
  answer_job: "agents",
  api_key: "accounts",
  assistant_link: "agents",
  audit_event: "audit",
  campaign: "sending",
  campaign_alias: "sending",
  campaign_day: "sending",
  campaign_part: "sending",
  campaign_upload: "sending",
  chat: "chat",
  chat_message: "chat",
  cold_message: "sending",
  connection: "connections",
  account_people: "contacts",
  contact_field: "contacts",
  contact_import: "contacts",
  contact_import_row: "contacts",
  contact_list: "contacts",
  credential: "accounts",
  delivery: "sending",
  delivery_action: "sending",
  delivery_part: "sending",
  device_creds: "transports",
  device_key: "transports",
  direct_message_usage: "sending",
  erased_person: "db",
  gateway: "gateways",
  gateway_address: "sending",
  idempotency_key: "db",
  attachment: "files",
  import_draft: "contacts",
  instance: "gateways",
  invitation: "accounts",
  known_conversation: "sending",
  limit_reservation: "db",
  mail: "notifications",
  membership: "contacts",
  message_deletion: "chat",
  message_reaction: "chat",
  message_template: "library",
  mistral_setting: "agents",
  notification_preference: "notifications",
  number_check: "sending",
  number_incident: "sending",
  number_plan: "sending",
  operator_agent: "agents",
  operator_service: "db",
  opt_out: "sending",
  outbox: "sending",
  outgoing_webhook_message: "sending",
  pending_instance: "gateways",
  person: "contacts",
  provider_message: "sending",
  rate_limit: "accounts",
  received_file: "chat",
  receipt_inbox: "sending",
  schema_migration: "db",
  segment: "sending",
  session: "accounts",
  setting: "db",
  unread_leaving: "sending",
  unrecognized_event: "gateways",
  verification: "accounts",
  wa_address: "sending",
  webhook_event: "gateways",
  webhook_relay: "gateways",
  webhook_state: "gateways",
  worker: "sending",
};

export type Use = { folder: string; table: string; reason: string };

export const SHARED: readonly Use[] = [
  {
    folder: "campaigns",
    table: "campaign",
    reason: "People write the content of a draft; sending writes status, cursor and counters.",
  },
  {
    folder: "sending",
    table: "connection",
    reason:
      "People wish a connection; sending writes its state, fence and owner in the transactions of its lane.",
  },
];

export const BY_NAME: readonly { file: string; reason: string }[] = [
  {
    file: "accounts/removal-repo.ts",
    reason:
      "Deletes an account's rows of every table in bounded parts; a test compares its list with the schema.",
  },
  { file: "accounts/export.ts", reason: "Copies an account's rows of every table that is exported." },
  { file: "backup/load.ts", reason: "Empties and counts whole tables." },
  { file: "files/repo.ts", reason: "Finds files that no table refers to, and moves bytes of all." },
  {
    file: "sending/campaigns/campaign-archive.ts",
    reason: "Deletes the people of a campaign, own tables only.",
  },
];

/** Joins that stay, at most 15. */
export const JOINS: readonly Use[] = [
  {
    folder: "campaigns",
    table: "connection",
    reason:
      "A campaign's list and page show its connection's name and state, filtered and sorted in one statement.",
  },
  {
    folder: "campaigns",
    table: "delivery",
    reason: "The people of a campaign are paged by an index of millions of rows.",
  },
  {
    folder: "chat",
    table: "connection",
    reason: "The list of chats shows each connection's name and state.",
  },
  {
    folder: "chat",
    table: "outbox",
    reason: "A page of a chat shows each sent message with its status, in one statement by index.",
  },
  {
    folder: "chat",
    table: "instance",
    reason:
      "The intake locks a connection and reads its own number, the instance's; gateways stand above chats.",
  },
  {
    folder: "connections",
    table: "instance",
    reason:
      "Whether a connection can have a pairing code depends on its instance; gateways stand above connections.",
  },
  {
    folder: "db",
    table: "account",
    reason:
      "Suspension, zone and existence of an account are conditions of statements in every feature, below all.",
  },
  {
    folder: "db",
    table: "worker",
    reason: "Before a migration the library asks whether an older version still works; no feature runs then.",
  },
  {
    folder: "gateways",
    table: "connection",
    reason: "An instance is a connection with a gateway: each of its rows has the other's state and name.",
  },
  {
    folder: "notifications",
    table: "account",
    reason:
      "Each e-mail is addressed with its account's language, address and confirmation as they are when sent.",
  },
  {
    folder: "sending",
    table: "account",
    reason: "The turn reads zone and suspension in its one statement, so that none is older than the claim.",
  },
  {
    folder: "sending",
    table: "membership",
    reason: "A start copies a list of up to a million people by one statement.",
  },
  {
    folder: "sending",
    table: "person",
    reason: "The same start reads their names; an opt-out and an address are shown with the person's name.",
  },
  {
    folder: "sending",
    table: "contact_list",
    reason: "The same start locks the list it copies.",
  },
  {
    folder: "transports",
    table: "connection",
    reason:
      "A write of a session checks the fence in its own statement, or a former process could overwrite it.",
  },
];
