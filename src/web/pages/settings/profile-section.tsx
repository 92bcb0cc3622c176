import { useRouter } from "@tanstack/react-router";
import type { Me } from "../../../contract/accounts.ts";
import { ACCOUNT_NAME_MAX, normalizeEmail, normalizeName } from "../../../domain/account.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { emailError } from "../../auth/field-errors.ts";
import { AccountPasswordInput } from "../../auth/password-inputs.tsx";
import { onlyDiffering, useForm, useStored } from "../../forms/use-form.ts";
import { accessText } from "../../messages/access.ts";
import { accountsText } from "../../messages/accounts.ts";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-draft.ts";
import { type MarkUnsaved, useMark } from "../../ui/use-unsaved.tsx";
import { ConfirmationNotice } from "./confirmation-notice.tsx";
import { FormEnd } from "./form-end.tsx";
import { useRound } from "./use-round.ts";
import { ZoneSelect } from "./zone-select.tsx";

const t = settingsText.profile;

export function ProfileSection({ mark }: { mark: MarkUnsaved }) {
  const { round, box, over } = useRound();
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <ConfirmationNotice />
      <div ref={box}>
        <ProfileForm key={round} mark={mark} onOver={over} />
      </div>
    </SectionCard>
  );
}

type Values = Pick<Me, "name" | "email" | "company" | "timeZone"> & { password: string };

const valuesOf = ({ name, email, company, timeZone }: Me) => ({ name, email, company, timeZone });

function ProfileForm({ mark, onOver }: { mark: MarkUnsaved; onOver: () => void }) {
  const me = useMe();
  const router = useRouter();
  const unfinished = useFormDraft<ReturnType<typeof valuesOf>>("profile");
  const form = useForm<Values>({
    initial: { ...valuesOf(me), ...unfinished.found, password: "" },
    validate: (values) => errors(values, me),
    submit: async (sent) => {
      const { password, ...values } = sent;
      // Only edited fields: another window may have changed the rest.
      const { email, ...changed } = onlyDiffering(values, valuesOf(me));
      const body = movesEmail(values, me) ? { ...changed, email, password } : changed;
      const saved = await api("PATCH /api/settings/profile", { body });
      router.options.context.session.update(saved);
      await router.invalidate();
      // The e-mail changes only after confirmation.
      const asked = movesEmail(values, me) && saved.confirmation?.change;
      toastDone(asked ? accessText.confirmation.sent : settingsText.saved);
      form.settle(sent, { ...valuesOf(saved), password: "" });
    },
  });
  useStored(form, me, (stored) => ({ ...valuesOf(stored), password: "" }));
  const unsaved = (["name", "email", "company", "timeZone"] as const).some(
    (field) => form.values[field] !== me[field],
  );
  useMark(mark, "profile", unsaved);
  const { password: _, ...written } = form.values;
  unfinished.note(onlyDiffering(written, valuesOf(me)));
  return (
    <form {...form.formProps} className={layoutStyles.stack4} aria-label={t.title}>
      {form.submitError !== null && (
        <SmallError title={settingsText.saveFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <div className={fieldStyles.row2}>
        <TextInput label={t.name} autoComplete="name" {...form.text("name")} />
        <TextInput label={t.company} optional autoComplete="organization" {...form.text("company")} />
      </div>
      <TextInput
        label={t.email}
        type="email"
        inputMode="email"
        autoComplete="email"
        hint={t.emailHint}
        {...form.text("email")}
      />
      {movesEmail(form.values, me) && (
        <AccountPasswordInput label={t.password} hint={t.passwordHint} {...form.text("password")} />
      )}
      <ZoneSelect
        value={form.values.timeZone}
        error={form.error("timeZone")}
        onChange={(zone) => form.set("timeZone", zone)}
      />
      <FormEnd unsaved={unsaved} busy={form.busy} onCancel={onOver} />
    </form>
  );
}

/** Ignores spelling variants of the same address. */
const movesEmail = (values: { email: string }, me: Me) =>
  (normalizeEmail(values.email) ?? values.email) !== me.email;

function errors(values: Values, me: Me) {
  const long = (text: string) => [...normalizeName(text)].length > ACCOUNT_NAME_MAX;
  return {
    name:
      normalizeName(values.name) === ""
        ? accountsText.nameRequired
        : long(values.name)
          ? accountsText.nameLong(ACCOUNT_NAME_MAX)
          : null,
    company: long(values.company) ? t.companyLong(ACCOUNT_NAME_MAX) : null,
    email: emailError(values.email),
    password: movesEmail(values, me) && values.password === "" ? t.passwordRequired : null,
  };
}
