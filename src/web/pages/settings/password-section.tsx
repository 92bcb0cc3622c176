import { useQueryClient } from "@tanstack/react-query";
import { faultText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { SectionCard } from "../../components/card.tsx";
import { SmallFault } from "../../components/fault.tsx";
import { toastDone } from "../../components/toast.tsx";
import { type MarkUnsaved, useMark } from "../../components/use-unsaved.tsx";
import { accountsText } from "../../messages/accounts.ts";
import { settingsText } from "../../messages/settings.ts";
import { useForm } from "../../use-form.ts";
import { newPasswordFault } from "../auth/faults.ts";
import { AccountPasswordInput, NewPasswordInputs } from "../auth/password-inputs.tsx";
import { FormEnd } from "./form-end.tsx";
import { sessionsQuery } from "./queries.ts";
import { useRound } from "./use-round.ts";

const t = settingsText.password;

export function PasswordSection({ mark }: { mark: MarkUnsaved }) {
  const { round, box, over } = useRound();
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <div ref={box}>
        <PasswordForm key={round} mark={mark} onOver={over} />
      </div>
    </SectionCard>
  );
}

const EMPTY = { password: "", newPassword: "", confirmPassword: "" };

function PasswordForm({ mark, onOver }: { mark: MarkUnsaved; onOver: () => void }) {
  const { email } = useMe();
  const queries = useQueryClient();
  const form = useForm({
    initial: EMPTY,
    validate: ({ password, newPassword, confirmPassword }) => ({
      password: password === "" ? t.required : null,
      newPassword: newPasswordFault(newPassword),
      confirmPassword: confirmPassword === newPassword ? null : accountsText.signup.differ,
    }),
    submit: async (body) => {
      const { endedSessions } = await api("POST /api/settings/password", { body });
      void queries.invalidateQueries(sessionsQuery);
      toastDone(t.done(endedSessions));
      onOver();
    },
  });
  const unsaved = Object.values(form.values).some(Boolean);
  useMark(mark, "password", unsaved);
  return (
    <form {...form.formProps} className="settings-form" aria-label={t.title}>
      {form.fault !== null && <SmallFault title={t.failed} text={faultText(form.fault, "")} />}
      {/* For programs that keep passwords: whose password this is. */}
      <input type="text" className="hidden" autoComplete="username" value={email} readOnly tabIndex={-1} />
      <AccountPasswordInput label={t.current} {...form.text("password")} />
      <div className="row2">
        <NewPasswordInputs
          password={{ label: t.next, ...form.text("newPassword") }}
          again={{ label: t.confirm, ...form.text("confirmPassword") }}
        />
      </div>
      <FormEnd unsaved={unsaved} busy={form.busy} verb={t.change} busyText={t.changing} onCancel={onOver} />
    </form>
  );
}
