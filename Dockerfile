# Laurel as a container: the package that npm pack makes, with the packages that are locked, on the Node of the base image.
# docker build -t laurel . && docker run --read-only -p 127.0.0.1:8080:8080 -v laurel:/var/lib/laurel laurel
FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepare && npm run build

FROM node:26-slim AS packages
WORKDIR /opt/laurel
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node itself, which the base image has.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26-slim
LABEL org.opencontainers.image.title="Laurel" \
      org.opencontainers.image.description="A self-hosted loyalty service: what an order will earn, exactly and with reasons" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN ln -s /opt/laurel/bin/laurel.js /usr/local/bin/laurel \
 && install -d -o node -g node -m 0700 /var/lib/laurel
WORKDIR /opt/laurel
COPY --from=packages /opt/laurel ./
COPY --from=build /build/dist ./dist
COPY --from=build /build/console/dist ./console/dist
COPY bin ./bin
COPY schemas ./schemas
COPY LICENSE CHANGELOG.md ./
ENV NODE_ENV=production HOST=0.0.0.0 LAUREL_DATA=/var/lib/laurel
# With DATABASE_URL, nothing is written here.
VOLUME /var/lib/laurel
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "/opt/laurel/bin/laurel.js"]
CMD ["serve"]
