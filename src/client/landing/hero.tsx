import { ArrowRight } from 'lucide-react';
import { brand } from '#shared/brand.ts';
import button from '../ui/button.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { NO_NEW_ACCOUNTS, registrationMode } from '../ui/later/registration-mode.ts';
import styles from './hero.module.css';
import { HOW_IT_WORKS } from './how-it-works.tsx';
import { JoinLink } from './join-link.tsx';
import { Scene } from './scene.tsx';
import section from './section.module.css';

export function Hero() {
  return (
    <section className={styles.hero}>
      <div className={styles.words}>
        <ScreenHeading>
          <span className={styles.name}>{brand.name}</span>{' '}
          <span className={styles.tagline}>{brand.tagline}</span>
        </ScreenHeading>
        <p className={styles.promise}>
          One QR code on the bar. Your customer scans it, picks an amount and pays; you see the tip at once.
        </p>
        <div className={styles.ways}>
          <JoinLink>
            Get Started Now <ArrowRight aria-hidden />
          </JoinLink>
          {/* biome-ignore lint/a11y/noAmbiguousAnchorText: the words were asked for; the heading beside it says what more is about */}
          <a href={`#${HOW_IT_WORKS}`} className={[button.button, button.quiet].join(' ')}>
            Learn More
          </a>
        </div>
        {registrationMode() === 'closed' && <p className={styles.closed}>{NO_NEW_ACCOUNTS}</p>}
      </div>
      <div id="bar" className={styles.view}>
        <Scene />
        <p className={styles.hint}>Scan or tap: it is a demo</p>
      </div>
      <div className={[section.bar, styles.counter].join(' ')} aria-hidden="true" />
    </section>
  );
}
