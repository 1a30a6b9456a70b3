/** Signals to a process and its children as if in one moment. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The process stands still before its children are told, so that it neither starts another nor acts on the
 * end of one.
 */
export function signalWithChildren(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  if (signal !== 'SIGCONT') process.kill(pid, 'SIGSTOP');
  for (const child of childrenOf(pid)) {
    try {
      process.kill(child, signal);
    } catch {
      // It ended by itself meanwhile.
    }
  }
  if (signal !== 'SIGSTOP') process.kill(pid, signal);
}

export function childrenOf(pid: number): number[] {
  return parentage().flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** Each process with its parent. Slim installations of Linux lack `ps`, and others lack `/proc`. */
function parentage(): number[][] {
  if (process.platform !== 'linux') {
    const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return list.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  }
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name of the program stands in parentheses, and may hold anything (proc_pid_stat(5)).
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
    } catch {
      return [];
    }
  });
}
