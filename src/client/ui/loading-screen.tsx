import { brand } from '#shared/brand.ts';
import { Screen } from './screen.tsx';
import { Loading } from './states.tsx';

export function LoadingScreen() {
  return (
    <Screen>
      <Loading text={`Loading ${brand.name}...`} />
    </Screen>
  );
}
