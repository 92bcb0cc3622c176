import { counted, formatNumber } from "../../format.ts";
import type { campaignsText as portuguese } from "../campaigns.ts";
import type { Texts } from "../texts.ts";

const people = (count: number) => counted(count, "person", "people");

const kept = (sent: number) => {
  if (sent === 0) return "";
  return sent === 1
    ? "The message already sent stays in the history. "
    : `The ${formatNumber(sent)} messages already sent stay in the history. `;
};

export const campaignsText: Texts<typeof portuguese> = {
  title: "Campaigns",
  none: "None yet",
  count: (count) => `${count} campaigns`,
  one: "1 campaign",
  create: "New Campaign",
  search: "Search campaigns",
  searchPlaceholder: "Search campaigns...",
  filter: "Status",
  all: "All",
  status: {
    draft: "Draft",
    scheduled: "Scheduled",
    sending: "In Progress",
    paused: "Paused",
    completed: "Completed",
    partially_completed: "Completed with failures",
    failed: "Failed",
    cancelled: "Cancelled",
  },
  cards: "Campaigns",
  more: "Load more campaigns",
  empty: "No campaigns found",
  emptyText: "Write the first message, choose a contact list and follow every delivery from here.",
  importContacts: "Import contacts",
  notFound: (term) => `No campaign has “${term}” in its name or text.`,
  notFoundStatus: (status) => `No campaign has the status “${status}”.`,
  notFoundBoth: (term, status) =>
    `No campaign with the status “${status}” has “${term}” in its name or text.`,
  showAll: "See all",
  listFailed: "Error fetching campaigns",
  withImage: "With Image",
  textOnly: "Text Only",
  noText: "No text yet",
  defaultConnection: "Default connection",
  savedAt: (when) => `Saved on ${when}`,
  scheduledFor: (when, zone) => `${when}, ${zone}`,
  late: "Started late",
  resend: "Failures sent again",
  total: "Total",
  sent: "Sent",
  read: "Read",
  errors: "Errors",
  figures: (name) => `Figures of ${name}`,
  progress: (name) => `Sending of ${name}`,
  preparing: "Preparing the list of deliveries",
  perMinute: (count) => `${count} messages a minute`,
  onePerMinute: "1 message a minute",
  everyTime: (duration) => `1 message every ${duration}`,
  paceUnknown: "Measuring the pace",
  endsAt: (when) => `Ends ${when}`,
  details: "See Details",
  pause: "Pause",
  resume: "Continue",
  cancelSending: "Cancel sending",
  reuse: "Reuse",
  continueDraft: "Continue",
  edit: "Edit",
  deleteDraft: "Delete draft",
  confirm: "Confirm",
  seeConnection: "See connection",
  resendFailures: (count) => `Send failures again (${count})`,
  uncertain: (count) => `${count} unconfirmed`,
  moreActions: (name) => `More actions for ${name}`,
  failures: (count) => `${count} delivery failures`,
  oneFailure: "1 delivery failure",
  firstFailures: (shown, total) => `The first ${shown} of ${total} delivery failures`,
  copyAll: "copy all",
  failureLines: (name) => `Delivery failures of ${name}`,
  failed: {
    pause: "The campaign could not be paused",
    resume: "The campaign could not be continued",
    cancel: "The sending could not be cancelled",
    confirm: "The sending could not be confirmed",
    delete: "The draft could not be deleted",
    resend: "The failures could not be sent again",
    copy: "The failures could not be fetched",
  },
  done: {
    pause: (name) => `${name}: sending paused`,
    resume: (name) => `${name}: sending continues`,
    cancel: (name) => `${name}: sending cancelled`,
    confirm: (name) => `${name}: sending has begun`,
    delete: (name) => `Draft ${name} deleted`,
    resend: (name) => `${name} created: sending begins now`,
  },
  back: "Back",
  ask: {
    cancel: (name) => `Cancel the sending of ${name}?`,
    cancelStarted: (remaining, sent) =>
      `${people(remaining)} will not get the message. ${kept(sent)}A cancelled sending cannot be resumed.`,
    cancelScheduled: (count, when) =>
      `The sending to ${people(count)}, set for ${when}, will not happen. You can reuse the campaign later.`,
    cancelNothing: "Nobody has received this message yet. You can reuse the campaign later.",
    delete: (name) => `Delete the draft ${name}?`,
    deleteText: "The text, the image and the choices of this draft are lost. The contact list stays.",
    deleteVerb: "Delete",
    resend: (count) => `Send again to ${people(count)}?`,
    resendText: (name) =>
      `A new campaign, linked to ${name}, sends the same message only to whoever ended in Error. Those Unconfirmed are left out.`,
    resendVerb: "Send again",
    confirm: (name) => `Send ${name} now?`,
    confirmText: (count) => `The sending to ${people(count)} begins as soon as you confirm.`,
    confirmVerb: "Send now",
  },
};
