import { announcements } from '../schema/announcements.ts';
import { allBut, type Builder, matches, save } from './builder.ts';

export function announcementStatements({ db }: Builder) {
  const columns = allBut(announcements, 'id');
  return {
    presentAnnouncement: db.select(columns).from(announcements),
    saveAnnouncement: save(db, announcements, 'id'),
    deleteAnnouncement: db.delete(announcements).returning(columns),
    deleteSeenAnnouncement: db
      .delete(announcements)
      .where(matches(announcements, 'text', 'fromMs'))
      .returning(columns),
  };
}
