/*
 * The floor of predictions: a route with the same body and an answer of the same shape. No database, no token, no rules.
 */
import fastify from 'fastify'

const app = fastify()
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
app.route({
  method: 'GET',
  url: '/api/predictions/orders',
  exposeHeadRoute: false,
  schema: {
    body: { type: 'object', properties: { data: { type: 'object', additionalProperties: true } } },
    response: {
      200: { type: 'object', properties: { message: { type: 'string' }, total_points: { type: 'integer' } } },
    },
  },
  handler: async () => ({ message: 'You will earn 120 points and stay at Bronze.', total_points: 120 }),
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
