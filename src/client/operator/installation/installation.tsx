/** Terms, who may join, the announcement, and what is set outside of the console. */
import { Announcement } from './announcement.tsx';
import styles from './installation.module.css';
import { Invitations } from './invitations.tsx';
import { BrandSettings, MaintenanceSetting, RegistrationSetting } from './settings.tsx';
import { Terms } from './terms.tsx';

export function Installation() {
  return (
    <div className={styles.sections}>
      <Terms />
      <section className={styles.section} aria-labelledby="joining">
        <h2 id="joining">Who may join</h2>
        <RegistrationSetting />
        <Invitations />
      </section>
      <Announcement />
      <MaintenanceSetting />
      <BrandSettings />
    </div>
  );
}
