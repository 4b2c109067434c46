"""The models of LithOS's experiments at their real shapes, with random weights: what counts is which kernels run."""
import torch
from torch import nn
from torch.nn import functional as F


class Bottleneck(nn.Module):
    """ResNet's block of three convolutions."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


def vgg19():
    layers, inputs = [], 3
    for width, convolutions in ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4)):
        for _ in range(convolutions):
            layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
            inputs = width
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(7), nn.Flatten(), nn.Linear(512 * 49, 4096), nn.ReLU(True),
                         nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(), nn.Linear(4096, 1000))


class Bert(nn.Module):
    """An encoder with words, positions and a head over the words."""

    def __init__(self, width, heads, layers, words=30522, length=512):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        return self.head(self.layers(x))


class DecoderLayer(nn.Module):
    """Llama's layer: grouped queries, rotary positions, a gated feed-forward part."""

    def __init__(self, width, heads, groups, inner):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, groups * self.size, bias=False)
        self.v = nn.Linear(width, groups * self.size, bias=False)
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def rotate(self, x, angles):
        a, b = x.float().chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1).to(x.dtype)

    def forward(self, x, angles):
        batch, length, width = x.shape
        normal = self.before(x)
        q, k, v = (part(normal).view(batch, length, -1, self.size).transpose(1, 2) for part in (self.q, self.k, self.v))
        repeat = self.heads // self.groups
        k, v = self.rotate(k, angles).repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
        y = F.scaled_dot_product_attention(self.rotate(q, angles), k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        normal = self.between(x)
        return x + self.down(F.silu(self.gate(normal)) * self.up(normal))


class Decoder(nn.Module):
    def __init__(self, width=4096, heads=32, groups=8, inner=14336, layers=32, words=128256):
        super().__init__()
        self.words, self.size = nn.Embedding(words, width), width // heads
        self.layers = nn.ModuleList(DecoderLayer(width, heads, groups, inner) for _ in range(layers))
        self.normal, self.head = nn.RMSNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        half = torch.arange(self.size // 2, device=tokens.device)
        angles = torch.arange(tokens.shape[1], device=tokens.device)[:, None] * 500000.0 ** (-half / (self.size // 2))
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x, angles)
        return self.head(self.normal(x[:, -1]))


class Dlrm(nn.Module):
    """Embeddings of 26 categories, dot products between them, and two small networks."""

    def __init__(self, tables=26, rows=200_000, width=128):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                                    nn.Linear(256, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(),
                                 nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 1))
        self.register_buffer("pairs", torch.tril_indices(tables + 1, tables + 1, -1), persistent=False)

    def forward(self, inputs):
        dense, categories = inputs
        x = self.bottom(dense)
        all_of = torch.stack([x] + [table(categories[i]) for i, table in enumerate(self.tables)], 1)
        products = torch.bmm(all_of, all_of.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat((x, products), 1))


def images(batch, device, dtype):
    return torch.randn(batch, 3, 224, 224, device=device, dtype=dtype)


def tokens(words, length):
    return lambda batch, device, dtype: torch.randint(0, words, (batch, length), device=device)


def records(batch, device, dtype):
    rows = torch.randint(0, 200_000, (26, batch, 10), device=device)
    return torch.randn(batch, 13, device=device, dtype=dtype), rows


# Of each model: what makes it, its inputs, its type, and the batches with which it serves and is trained.
MODELS = {
    "resnet50": (resnet50, images, torch.float16, 8, 64),
    "vgg19": (vgg19, images, torch.float16, 8, 64),
    "bert-large": (lambda: Bert(1024, 16, 24), tokens(30522, 128), torch.float16, 4, 16),
    "bert-base": (lambda: Bert(768, 12, 12), tokens(30522, 128), torch.float16, 4, 32),
    "llama-8b": (Decoder, tokens(128256, 512), torch.bfloat16, 1, 1),
    "dlrm": (Dlrm, records, torch.float32, 256, 2048),
    # Small ones, to try the programs without a GPU.
    "tiny-bert": (lambda: Bert(32, 2, 2, 100, 16), tokens(100, 8), torch.float32, 2, 2),
    "tiny-llama": (lambda: Decoder(32, 4, 2, 64, 2, 100), tokens(100, 8), torch.float32, 1, 1),
    "tiny-dlrm": (lambda: Dlrm(rows=200_000, width=4), records, torch.float32, 2, 2),
}


def make(name, device, for_training):
    """The model, and a function that makes inputs of its batch."""
    build, inputs, dtype, serves, trains = MODELS[name]
    torch.manual_seed(1)
    dtype = torch.float32 if for_training and dtype == torch.float16 else dtype
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    with torch.device(device):
        model = build()
    torch.set_default_dtype(before)
    model.train(for_training)
    return model, lambda: inputs(trains if for_training else serves, device, dtype)
