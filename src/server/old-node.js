/** Refuses a Node.js that is too old. Plain JavaScript in old syntax, because the Node.js it refuses has to read it. */

/** As `engines` in package.json says. On Node.js 20, better-sqlite3 ends the process with a signal and no word. */
const OLDEST_NODE = [22, 14];

/** To be called before anything else is loaded. */
export function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `Node.js ${OLDEST_NODE.join('.')} or newer is needed, and this is ${process.versions.node}. ` +
      'Run `npm ci` again, which brings one for most machines, or install one from https://nodejs.org.\n',
  );
  process.exit(1);
}
