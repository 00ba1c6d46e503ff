export function generatePython(document: unknown): string;
