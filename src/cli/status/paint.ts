import type { Io } from "../support/io.ts";

/** The zone in the status line's colour. The text may be padded. */
export function paintZone(zone: string, c: Io["colours"]): string {
	const paint: Record<string, (text: string) => string> = {
		flush: c.yellow,
		imminent: c.red,
		calm: c.green,
		watch: c.cyan,
	};
	return (paint[zone.trim()] ?? String)(zone);
}
