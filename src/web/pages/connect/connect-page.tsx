import { clsx } from "clsx";
import { errorTextOf } from "../../api/api-error.ts";
import { connectText } from "../../messages/connect.ts";
import { FlowStatus } from "../../pairing/flow-status.tsx";
import { PairingDialog, Unreached } from "../../pairing/pairing-dialog.tsx";
import { Steps } from "../../pairing/steps.tsx";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import textStyles from "../../ui/text.module.css";
import styles from "./connect.module.css";
import { useConnect } from "./use-connect.ts";

const t = connectText.page;

export function ConnectPage() {
  const connect = useConnect();
  return (
    <Page title={t.title} fact={t.fact}>
      <div className={clsx(layoutStyles.stack4, styles.connect)}>
        <ConnectForm connect={connect} />
        <SectionCard title={t.before}>
          <Steps steps={t.tips} />
        </SectionCard>
      </div>
      {connect.following && connect.dialogOpen && (
        <PairingDialog
          deviceId={connect.following.deviceId}
          name={connect.connection?.name || connect.following.name}
          onConnected={connect.connected}
          onClose={connect.closeDialog}
        />
      )}
    </Page>
  );
}

function ConnectForm({ connect }: { connect: ReturnType<typeof useConnect> }) {
  const { form, flow, following, returning } = connect;
  const waiting = following !== null && flow !== "connected" && flow !== "disconnected";
  return (
    <section className={clsx(cardStyles.card, cardStyles.section)} aria-label={t.title}>
      <form {...form.formProps} onSubmit={connect.onSubmit} className={layoutStyles.stack4}>
        <TextInput
          label={t.number}
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          className={textStyles.num}
          placeholder={t.numberExample}
          hint={t.numberHint}
          {...form.text("number")}
        />
        <TextInput label={t.name} autoComplete="off" hint={t.nameHint} {...form.text("name")} />
        {form.submitError !== null && (
          <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />
        )}
        {connect.trouble && <SmallError title={connect.trouble} />}
        {returning ? (
          returning.why && <Notice tone="warning">{returning.why}</Notice>
        ) : (
          <Unreached connection={connect.connection} />
        )}
        <FlowStatus flow={flow} />
        {connect.warning && <Notice tone="warning">{connect.warning}</Notice>}
        {flow === "connected" ? (
          <NextStep />
        ) : returning ? (
          <LinkButton to="/whatsapp/connections" look="primary">
            {t.seeAll}
          </LinkButton>
        ) : waiting && !connect.dialogOpen ? (
          <Button look="primary" onClick={connect.openDialog}>
            {t.showQr}
          </Button>
        ) : (
          <Button type="submit" look="primary" busy={form.busy || waiting}>
            {t.button}
          </Button>
        )}
      </form>
    </section>
  );
}

function NextStep() {
  return (
    <div className={layoutStyles.stack3}>
      <p className={styles.opening}>{t.next}</p>
      <LinkButton to="/contacts" search={{ abrir: "importar" }} look="primary">
        {t.importPeople}
      </LinkButton>
      <LinkButton to="/whatsapp/connections">{t.seeAll}</LinkButton>
    </div>
  );
}
