import { announcements } from '../schema/announcements.ts';
import { allBut, type Builder, matches, save } from './builder.ts';

export function announcementStatements({ db }: Builder) {
  return {
    presentAnnouncement: db.select(allBut(announcements, 'id')).from(announcements),
    saveAnnouncement: save(db, announcements, 'id'),
    deleteAnnouncement: db.delete(announcements),
    deleteSeenAnnouncement: db.delete(announcements).where(matches(announcements, 'text', 'fromMs')),
  };
}
