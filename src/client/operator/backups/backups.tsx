export function Backups() {
  return null;
}
