import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { clsx } from "clsx";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { connectionsQuery } from "../../api/connections.ts";
import { summaryQuery } from "../../api/summary-query.ts";
import { AccountPasswordInput } from "../../auth/password-inputs.tsx";
import { useForm } from "../../forms/use-form.ts";
import { accountsText } from "../../messages/accounts.ts";
import { settingsText } from "../../messages/settings.ts";
import dialogStyles from "../../ui/dialog.module.css";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import styles from "./settings.module.css";

const t = settingsText.remove;

export function RemoveDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const form = useForm({
    initial: { word: "", password: "" },
    validate: ({ word, password }) => ({
      word: word.trim().toUpperCase() === t.word ? null : t.typeError(t.word),
      password: password === "" ? accountsText.passwordRequired : null,
    }),
    submit: async ({ password }) => {
      await api("POST /api/settings/account/delete", { body: { password } });
      router.options.context.session.leave();
      await router.navigate({ to: "/login", search: { removed: true } });
    },
  });
  return (
    <FormDialog
      title={t.question}
      onClose={onClose}
      form={form}
      verb={t.verb}
      busyText={t.busy}
      look="danger"
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <Lost />
      <TextInput
        label={t.type(t.word)}
        autoComplete="off"
        autoCapitalize="characters"
        {...form.text("word")}
      />
      <AccountPasswordInput label={t.password} {...form.text("password")} />
    </FormDialog>
  );
}

function Lost() {
  const campaigns = useQuery(summaryQuery);
  const connections = useQuery(connectionsQuery);
  const figures = useQuery({
    queryKey: ["campaigns", "figures-to-lose"],
    queryFn: ({ signal }) => api("GET /api/dashboard", { signal }),
  });
  if (campaigns.isError || connections.isError || figures.isError) return <SmallError title={t.uncounted} />;
  if (!campaigns.data || !connections.data || !figures.data)
    return (
      <Skeleton>
        <Bone width="70%" />
        <Bone width="55%" style={{ marginTop: 10 }} />
        <Bone width="60%" style={{ marginTop: 10 }} />
      </Skeleton>
    );
  const sending = campaigns.data.byStatus.sending ?? 0;
  return (
    <div className={clsx(dialogStyles.dialogText, styles.settingsLost)}>
      <p>{t.lost}</p>
      <ul>
        <li>{t.campaigns(campaigns.data.total)}</li>
        <li>{t.contacts(figures.data.cards.contacts.value ?? 0)}</li>
        <li>{t.connections(connections.data.length)}</li>
        <li>{t.rest}</li>
      </ul>
      {sending > 0 && <p>{t.stops(sending)}</p>}
    </div>
  );
}
