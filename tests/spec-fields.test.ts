import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { statementsOf } from "../scripts/conformance.ts";
import { Me } from "../src/contract/accounts.ts";
import { Agent } from "../src/contract/agents.ts";
import { Connection, Device } from "../src/contract/connections.ts";
import { Instance, NewInstance } from "../src/contract/gateways.ts";
import { testDatabase } from "./support/database.ts";

const { db } = await testDatabase();
const docs = path.join(import.meta.dirname, "..", "docs");
const read = (page: string) => fs.readFileSync(path.join(docs, page), "utf8");

const types = { Agent, Connection, Device, Instance, Me, NewInstance };
const answered = Object.entries(types).flatMap(([name, { shape }]) =>
  Object.keys(shape).map((field) => `${name}.${field}`),
);

const plain = (text: string) => text.replaceAll(/\s*\([^)]*\)|\s*\{[^}]*\}/g, "").trim();

const specified = statementsOf(read("spec/product-spec.md"))
  .filter(({ heading, text }) => heading === "3. Entities and their fields" && text.includes(" | "))
  .map(({ text }) => text.split(" | "))
  .map(([entity = "", fields = ""]) => [
    plain(entity),
    plain(fields)
      .split(/[,;] (?:added locally: )?/)
      .map((field) => `${plain(entity)}.${field}`),
  ]) as [string, string[]][];

const mapped = new Map([
  ["login_evolution.id", "account.id"],
  ["login_evolution.email", "account.email"],
  ["login_evolution.senha", "credential.password"],
  ["login_evolution.nome_da_instancia", "account.name"],
  ["login_evolution.apikey", "api_key.hash"],
  ["login_evolution.id_instancia", "connection.account_id"],
  ["contato_evolution.id", "contact_list.id"],
  ["contato_evolution.contatos", "membership.list_id"],
  ["contato_evolution.relacao_login", "contact_list.account_id"],
  ["contato_evolution.name", "contact_list.name"],
  ["contato_evolution.created_at", "contact_list.created_at"],
  ["mensagem_evolution.id", "campaign.id"],
  ["mensagem_evolution.name", "campaign.name"],
  ["mensagem_evolution.texto", "campaign.text"],
  ["mensagem_evolution.imagem", "campaign.attachment_id"],
  ["mensagem_evolution.data_de_envio", "campaign.scheduled_at"],
  ["mensagem_evolution.contatos", "campaign.list_id"],
  ["mensagem_evolution.delay", "campaign.interval_seconds"],
  ["mensagem_evolution.status", "campaign.status"],
  ["mensagem_evolution.device_id", "campaign.connection_id"],
  ["mensagem_evolution.nome_da_instancia", "campaign.connection_name"],
  ["mensagem_evolution.apikey_da_instancia", "instance.token"],
  ["mensagem_evolution.created_at", "campaign.created_at"],
  ["envio_evolution.id", "delivery.seq"],
  ["envio_evolution.id_mensagem", "delivery.campaign_id"],
  ["envio_evolution.contato", "delivery.phone"],
  ["envio_evolution.status", "delivery.status"],
  ["envio_evolution.erro", "delivery.error"],
  ["envio_evolution.data_envio", "delivery.at"],
  ["envio_evolution.created_at", "campaign.started_at"],
  ["instance_assistants.instance_name", "assistant_link.connection_id"],
  ["instance_assistants.assistant_id", "assistant_link.agent_id"],
  ["instance_assistants.is_active", "assistant_link.active"],
  ["evolution.id", "gateway.id"],
  ["evolution.url", "gateway.url"],
  ["evolution.apikey", "gateway.api_key"],
  ["evolution.created_at", "gateway.created_at"],
  ["webhook_messages.id", "chat_message.id"],
  ["webhook_messages.instance", "chat_message.connection_id"],
  ["webhook_messages.remote_jid", "chat.jid"],
  ["webhook_messages.push_name", "chat.push_name"],
  ["webhook_messages.message_content", "chat_message.text"],
  ["webhook_messages.from_me", "chat_message.from_me"],
  ["webhook_messages.message_timestamp", "chat_message.at"],
  ["WhatsApp device.deviceId", "Device.deviceId"],
  ["WhatsApp device.connection_name", "Device.connection_name"],
  ["Connection.id", "Connection.id"],
  ["Connection.deviceId", "Connection.deviceId"],
  ["Connection.connection_name", "Connection.name"],
  ["Connection.status", "Connection.state"],
  ["Gateway instance.name", "Instance.name"],
  ["Gateway instance.profileName", "Instance.profileName"],
  ["Gateway instance.profilePicUrl", "Instance.hasPicture"],
  ["Gateway instance.number", "Instance.number"],
  ["Gateway instance.connectionStatus", "Instance.status"],
  ["Gateway instance.token", "instance.token"],
  ["Gateway instance.createdAt", "Instance.createdAt"],
  ["Gateway instance._count", "Instance.counts"],
  ["Gateway instance.assistant", "Instance.assistant"],
  ["Gateway instance.assistantActive", "assistant_link.active"],
  ["New instance form.instanceName", "NewInstance.instanceName"],
  ["New instance form.token", "NewInstance.token"],
  ["New instance form.number", "NewInstance.number"],
  ["New instance form.webhook", "NewInstance.webhook"],
  ["New instance form.evolutionId", "Instance.gatewayId"],
  ["Session user.nome_da_instancia", "Me.name"],
  ["Session user.email", "Me.email"],
  ["Session user.id", "Me.id"],
  ["Agent.id", "Agent.id"],
  ["Agent.name", "Agent.name"],
  ["Agent.description", "Agent.description"],
  ["Agent.model", "Agent.model"],
  ["Agent.created_at", "Agent.created_at"],
  ["Agent.updated_at", "Agent.updated_at"],
]);

test("the specification has its thirteen entities @decision 28", () => {
  expect(specified).toHaveLength(13);
  expect([...mapped.keys()].toSorted()).toEqual(specified.flatMap(([, fields]) => fields).toSorted());
});

test("there are no roles: no column grants permissions @spec 2.59,6.1 @decision 16", async () => {
  const { rows } = await sql`select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_name ~ 'role|admin|permission'`.execute(db);
  expect(rows).toEqual([]);
  expect(answered.filter((field) => /role|admin|permission/i.test(field))).toEqual([]);
});

test.each(specified)("every field of %s is where the glossary says", async (_entity, fields) => {
  const columns = await sql<{ name: string }>`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'public'`.execute(db);
  const there = new Set([...columns.rows.map(({ name }) => name), ...answered]);
  const lost = fields.filter((field) => !there.has(mapped.get(field) ?? ""));
  expect(lost).toEqual([]);
});
