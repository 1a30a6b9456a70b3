import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function Landing() {
  return (
    <Screen title="Landing">
      <ScreenHeading>Landing</ScreenHeading>
    </Screen>
  );
}
