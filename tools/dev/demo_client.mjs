// The client of ./dev demo: the openai package from npm, told only another base URL and key. Shows
// a streamed answer, a refusal at the limit, and that waiting as long as told is enough.
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

const require = createRequire(`${process.env.WEIR_NODE_MODULES}/`);
const { OpenAI, RateLimitError } = require('openai');

const model = process.env.WEIR_MODEL;
const client = new OpenAI({ apiKey: token('ada', 'FREE'), maxRetries: 0 });
const messages = [{ role: 'user', content: 'Say hello in one sentence.' }];
const call = () => client.chat.completions.create({ model, messages, max_tokens: 16 });

function token(user, tier) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: user, tier, exp })}`;
  const mac = createHmac('sha256', process.env.WEIR_JWT_SECRET).update(signed);
  return `${signed}.${mac.digest('base64url')}`;
}

function expect(condition, sentence) {
  if (!condition) throw new Error(`expected ${sentence}`);
}

async function streamedAnswer() {
  const started = performance.now();
  let first;
  let words = '';
  let usage;
  const stream = await client.chat.completions.create({
    model, messages, max_tokens: 32, stream: true, stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta?.content ?? '';
    if (text) first ??= performance.now() - started;
    words += text;
    usage = chunk.usage ?? usage;
  }
  expect(words.length > 0, 'a streamed answer with content');
  expect(usage?.completion_tokens > 0, 'the usage in the last chunk');
  console.log(`streamed: ${words.trim()}`);
  console.log(`  first token after ${first.toFixed(0)} ms, ${usage.completion_tokens} tokens`);
}

async function refusal() {
  for (let calls = 1; calls <= 20; calls++) {
    try {
      await call();
    } catch (error) {
      expect(error instanceof RateLimitError, `a RateLimitError, not ${error}`);
      const seconds = Number(error.headers.get('retry-after'));
      expect(Number.isInteger(seconds) && seconds >= 1, 'an integer Retry-After of at least 1');
      console.log(`refused: call ${calls} after the stream got ${error.status}, ${error.message}`);
      console.log(`  Retry-After: ${seconds} s`);
      return seconds;
    }
  }
  throw new Error('expected a refusal within 20 calls at the FREE limit');
}

await streamedAnswer();
const seconds = await refusal();
await wait(seconds * 1000);
await call();
console.log(`  after ${seconds} s the same call got through: the header was true`);
