/**
 * An attack in a process of its own, so that its work does not slow those who measure. The soak starts it
 * with its name, passes the scene and says when to begin; it reports and ends with its parent.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAttacker, type Scene, type Spoils } from './attack-tools.ts';
import { ATTACKS } from './attacks.ts';

process.once('disconnect', () => process.exit());

const [name = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
const [scene]: Scene[] = await once(process, 'message');
if (!attack || !scene) throw new Error(`there is no attack "${name}"`);

const attacker = createAttacker(scene);
await attack.prepare?.(attacker);
attacker.takeTally();
const begin = once(process, 'message');
process.send?.('prepared');
await begin;

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const deadline = sleep(scene.seconds * 1_000).then(() => {
  if (!attack.isBounded) attacker.end();
});
await Promise.all([attack.run(attacker), deadline]);
attacker.end();
const { user, system } = process.cpuUsage(cpuBefore);
const spoils: Spoils = {
  counts: attacker.takeTally(),
  waits: attacker.waits(),
  seconds: (performance.now() - startedAt) / 1_000,
  cpuMs: (user + system) / 1_000,
};
process.send?.(spoils);
