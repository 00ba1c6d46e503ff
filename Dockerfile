# Holdfast with everything it needs: `docker build -t holdfast .`, then `docker run holdfast --help`. compose.yaml has a server
# with PostgreSQL and a worker.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm install
COPY . .
RUN npm run build && npm pack

FROM node:24-slim
# Jobs use more than Node and bash: add what yours need.
COPY --from=build /build/holdfast-*.tgz /tmp/
# Directories that become volumes belong to the user of the image.
RUN npm install -g /tmp/holdfast-*.tgz && rm /tmp/holdfast-*.tgz \
  && mkdir /work /admin-token /worker-token && chown node:node /work /admin-token /worker-token
USER node
WORKDIR /work
EXPOSE 7600
ENTRYPOINT ["holdfast"]
