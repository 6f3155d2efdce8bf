/**
 * How many columns Claude Code leaves a status line of the terminal's `columns`: two on each side and the padding twice; what
 * is longer it cuts (measured on 2.1.329, from 24 to 200 columns, test/e2e/status-room.test.ts). 0, no limit, where the
 * width is not known: versions before 2.1.153 set no COLUMNS.
 */
export const statusRoom = (columns: number, padding: number): number =>
	columns > 0 ? Math.max(1, Math.floor(columns) - 4 - 2 * padding) : 0;
