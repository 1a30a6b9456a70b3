import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function Dashboard() {
  return (
    <Screen title="Dashboard">
      <ScreenHeading>Dashboard</ScreenHeading>
    </Screen>
  );
}
