import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';

export function Auth() {
  return (
    <Screen title="Auth">
      <ScreenHeading>Auth</ScreenHeading>
    </Screen>
  );
}
