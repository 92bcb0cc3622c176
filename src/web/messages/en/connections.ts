import type { connectionsText as portuguese } from "../connections.ts";
import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";

export const connectionsText: Texts<typeof portuguese> = {
  list: {
    title: "WhatsApp Connections",
    updated: (time) => `Updated at ${time}`,
    refresh: "Refresh",
    connect: "Connect WhatsApp",
    failed: "Error fetching connections",
    label: "Connections",
    unnamed: "No name",
    isDefault: "Default",
    instance: "Evolution instance",
    actions: (name) => `Actions for ${name}`,
    empty: "No connections found",
    emptyText: "Connect the number that the messages will come from. It takes a minute, phone in hand.",
    showQr: "Show QR Code",
    disconnect: "Disconnect",
    reconnect: "Reconnect",
    makeDefault: "Make default",
    assistant: "Assistant",
    remove: "Delete",
    madeDefault: (name) => `${name} is the default connection`,
    makeDefaultFailed: "It could not be made the default",
    reconnectFailed: "Error reconnecting",
    gone: (name) => `${name} no longer exists: it was deleted.`,
  },
  states: {
    connected: "Connected",
    disconnected: "Disconnected",
    pending: "Waiting to connect",
    connecting: "Connecting",
    reconnecting: "Reconnecting",
    ending: "Disconnecting",
    banned: "Banned",
    tempBanned: "Suspended",
    replaced: "In use elsewhere",
    refused: "Sending refused",
    restricted: "Restricted",
  },
  notes: {
    idle: "Nothing being sent now",
    sending: (count) => `Sending ${counted(count, "campaign", "campaigns")}`,
    scheduled: (count) => counted(count, "scheduled campaign", "scheduled campaigns"),
    waits: (count) => (count === 1 ? "1\u00a0campaign is waiting." : `${count}\u00a0campaigns are waiting.`),
    raw: "State reported by the server",
    newChats: (left, until) =>
      left === 0
        ? `No new conversation until ${until}: WhatsApp has counted all of this period`
        : `${counted(left, "new conversation", "new conversations")} left until ${until}`,
  },
  causes: {
    network: (since) =>
      `No contact with WhatsApp since ${since.replace(/^(at|on) /, "")}. We keep trying to reconnect.`,
    logged_out: () => "The session was ended on the phone. Reconnect with a new QR Code.",
    ended_there: () => "The session was ended on the instance's server. Reconnect with a new QR Code.",
    banned: () => "WhatsApp has blocked this number. Only WhatsApp can release it.",
    temp_banned: (_since, until) =>
      until
        ? `WhatsApp has suspended this number until ${until}. Reconnect it after that.`
        : "WhatsApp has suspended this number for a time. Reconnect it when the phone is released.",
    replaced: () => "This session was opened elsewhere. Reconnect to use it here.",
    key_lost: () =>
      "The server lost the key that opened this session. On the phone, remove the old device, and reconnect with a new QR code.",
    qr_expired: () => "The codes expired without being scanned. Reconnect to get another.",
    timelocked: (_since, until) =>
      `${until ? `New conversations blocked until ${until}` : "New conversations blocked by WhatsApp"}. Conversations that exist go on; new ones wait and leave by themselves after that.`,
    backlog_unread: () =>
      "The instance's server does not hand out what may have been written while it was away. Campaigns wait for it, ten minutes at most, so as not to write to people who asked to leave.",
    new_chats_refused: (_since, until) =>
      `WhatsApp refuses new conversations and does not say until when. Conversations that exist go on; new ones wait${until ? ` until ${until}, when we try again` : ""}. See on the phone whether WhatsApp shows a notice, and begin no new conversations with this number until then.`,
    replies_refused: (_since, until) =>
      `WhatsApp refuses the messages of this number, even in conversations that exist. Nothing leaves${until ? ` until ${until}, when we try again` : ", and we keep trying"}. See on the phone whether WhatsApp shows a notice, and send nothing with this number until then.`,
    catching_up: () =>
      "The latest messages received are still being read. Campaigns go on right after that, without those who asked to leave.",
    rate_limited: () => "This number was asked to pause. Sending continues by itself after that.",
    not_sending: () =>
      "No message is leaving from this number. No one counts as failed for that: we keep trying.",
    client_outdated: () => "WhatsApp requires a newer version. Update Recado.",
    pairing_refused: () => "WhatsApp refused the pairing code. Use the QR Code.",
    restored: () => "Restored from a backup. It comes back when the administrator releases the installation.",
    disconnected_by_user: (since) => `Disconnected by you ${since}`,
    ending: () =>
      "The instance's server has not confirmed the disconnection: the number may still be connected there. We keep trying.",
    other_number: () =>
      "Another phone scanned the code: messages go out from its number. If this was a mistake, disconnect.",
    devices_refused: () =>
      "WhatsApp refuses this number's messages, no matter who they are for. No one counts as failed for that: we keep trying. If it goes on, disconnect it and scan a new QR Code.",
    upload_failed: () =>
      "Files are not reaching WhatsApp. No one counts as failed for that: messages without a file go on, and we keep trying the others. If it goes on, check whether the server's network lets whatsapp.net through.",
    untrusted_server: () =>
      "The connection to WhatsApp is not secure on this network. Check proxy and antivirus.",
    license_required: () =>
      "The licence of this server has not been activated yet. The person who runs it must activate it; then the instance comes back by itself.",
    offline_loop: () =>
      "The instance keeps going down and coming back: its server does not reach WhatsApp, or another program uses the same session. Check the server's internet and DNS; if it goes on, restart it.",
    unreachable: (since) =>
      `The instance's server has not answered since ${since.replace(/^(at|on) /, "")}. We keep trying.`,
    server_errors: () =>
      "The instance's server answers with errors. We keep trying; if it goes on, see whether its database is up.",
    wrong_key: () =>
      "The server refused the API key. Check the key under Evolution; if the administrator provides this server, tell them.",
    gone: () =>
      "This instance no longer exists on the server. Delete it here or create it there again, under the same name.",
    withdrawn: () =>
      "The administrator has withdrawn this instance's server: it takes no more commands, and the number may still be connected there.",
  },
};
