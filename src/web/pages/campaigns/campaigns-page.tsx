import { Page } from "../../components/page.tsx";

export function CampaignsPage() {
  return (
    <Page title="campaigns">
      <p />
    </Page>
  );
}
