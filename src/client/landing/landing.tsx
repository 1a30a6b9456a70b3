/** The public landing page: what Tipwell is, how it works, what it costs, and the way in. */
import { useRef } from 'react';
import { navigate } from '../navigation.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Screen } from '../ui/screen.tsx';
import { Closing } from './closing.tsx';
import { Features } from './features.tsx';
import { Footer } from './footer.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { Services } from './services.tsx';

export function Landing() {
  const howItWorks = useRef<HTMLHeadingElement>(null);

  const enter = () => navigate(paths.auth);
  const learnMore = () => {
    // How fast it scrolls is the style sheet's business (`scroll-behavior`), which knows who wants less motion.
    howItWorks.current?.focus({ preventScroll: true });
    howItWorks.current?.scrollIntoView();
  };

  return (
    <>
      <Screen
        actions={
          <Button look="quiet" onClick={enter}>
            Login
          </Button>
        }
      >
        <Hero onStart={enter} onLearnMore={learnMore} />
        <HowItWorks heading={howItWorks} />
        <Features />
        <Services />
        <Closing onJoin={enter} />
      </Screen>
      <Footer />
    </>
  );
}
