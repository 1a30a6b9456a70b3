/** The sound of a tip: two notes of a bell. */

/** In hertz and seconds from now. */
const NOTES = [
  { hertz: 1318.5, after: 0 },
  { hertz: 1975.5, after: 0.09 },
];

export function ring(audio: AudioContext): void {
  for (const { hertz, after } of NOTES) {
    const at = audio.currentTime + after;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.2, at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.6);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.65);
  }
}
