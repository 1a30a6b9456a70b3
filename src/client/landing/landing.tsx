import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Screen } from '../ui/screen.tsx';
import { Closing } from './closing.tsx';
import { Features } from './features.tsx';
import { Footer } from './footer.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { Services } from './services.tsx';

export function Landing() {
  return (
    <>
      <Screen
        actions={
          <ButtonLink look="quiet" href={paths.auth}>
            Login
          </ButtonLink>
        }
      >
        <Hero />
        <HowItWorks />
        <Features />
        <Services />
        <Closing />
      </Screen>
      <Footer />
    </>
  );
}
