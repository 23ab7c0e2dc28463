// A server that answers as a test says, and what it received.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after } from 'node:test';

export type Answer = (request: Received, response: ServerResponse) => void;

export interface Received {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
  socket: Socket;
}

/** Starts a server. Each request has the next answer; the last one is that of all others. */
export async function serve(...answers: Answer[]): Promise<{ baseUrl: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const url = new URL(request.url!, 'http://localhost');
    received.push({ method: request.method!, url, headers: request.headers, body, socket: request.socket });
    answers[Math.min(received.length, answers.length) - 1]!(received.at(-1)!, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const value = { type: `/problems/${code}`, title: code, status, detail: `it is ${code}`, code, request_id: '0123456789abcdef' };
  return json(value, status, { 'Content-Type': 'application/problem+json', ...headers });
}
